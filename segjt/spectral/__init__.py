"""Matrices in, groups out: normalized cuts, eigenvectors by Lanczos' method, k-means.

Knows `segjt.runtime`; knows nothing of images, kernels or files.
"""
