"""Stage two: the region graph comes in, the merges of its regions come out.

One registry of ways to merge: cues (default), ncut (paper 001), spectral (paper 000). Knows the region graph and
spectral, never the trees made of its merges.
"""
