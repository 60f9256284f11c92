"""The exact fast forms behind the multi-point kernels.

Rows and the parameters of a kernel come in, the flattened kernel V comes out. Knows `segjt.runtime` and the formulas
of `segjt.kernels`.
"""
