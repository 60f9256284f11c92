"""Paper 001's method: the whole image at once, reduced, cut into clusters, merged, brought back to full size.

An image and parameters come in, label maps come out. Knows kernels, spectral, superpixels and merging.
"""
