"""Stage one: an image comes in, a map of small segments (superpixels) comes out.

The image is tiled into blocks (`blocks`); in each a kernel compares what it sees of the pixels (`features`), the
affinity falls with their distance (`affinity`), and normalized cuts divide the block (`block_cut`); `oversegmentation`
is all of it. Knows `image`, `labels`, `parameters`, kernels, `spectral` and `runtime`; nothing of what follows.
"""
