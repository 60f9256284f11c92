"""Paper 001's method: an image comes in, its clusters and the segments that they are merged into come out.

The image is reduced (`resampling`), cut as a whole into clusters, whose neighbouring parts are merged by normalized cut
(`method`), and brought back to full size along the edges of the image. Knows kernels, `spectral`, superpixels, the
region graph and merging.
"""
