"""The fast forms behind the multi-point kernels.

In: rows X, Z and Y, and the parameters of a kernel. Out: the flattened kernel V / N^(n-1) of the rows of X and Z, its
tuples drawn from Y; in logarithms for the exponential kernels. `strategies` chooses a form from the rows. The forms are
in `exponential_sums`, `distinct_sums`, `level_expansion` and `triples`; all are exact but `LevelExpansion`, whose
relative error is at most 1e-6. `level_tables` looks up sums over 8-bit levels, for two-point kernels too, and `shared`
computes once what equal arrays have in common. Knows the formulas in `segjt.kernels.tsallis` and
`segjt.kernels.jensen`, `segjt.runtime.compiled` and `segjt.runtime.vector_math`, and none of the kernel classes.
"""
