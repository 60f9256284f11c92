"""Matrices in, groups out: normalized cuts (`ncut`), eigenvectors (`lanczos`, `sparse_eigenvectors`) and `kmeans`.

Eigenvectors are judged before they are trusted. Knows `runtime`; knows nothing of images, kernels or files.
"""
