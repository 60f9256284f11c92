"""Stage two: the region graph comes in; its merges, or groups of its regions, come out.

`registry` is the one list of ways to merge: `cues` (default), `ncut` (paper 001), `spectral` (paper 000). `merges` has
the tree of merges and the one way to follow it. Knows the region graph, `spectral`, `fields` and `runtime`; never the
trees that are made of its merges.
"""
