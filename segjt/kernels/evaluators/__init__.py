"""The exact fast forms behind the multi-point kernels.

Rows X, Z, Y and the parameters of a kernel come in, the flattened kernel V / N^(n-1) of X and Z, tuples drawn from Y,
goes out, in logarithms for the exponential kernels. `strategies` chooses one of the forms from the rows; the others
hold one form each, prepared by `of` and run by `evaluate`. Knows the formulas in `segjt.kernels.tsallis` and
`segjt.kernels.jensen`, `segjt.runtime.compiled` and `segjt.runtime.vector_math`, and none of the kernel classes.
"""
