"""Merges come in, a `MergeTree` comes out, which answers: cuts, contours, the number of segments.

Knows labels, the region graph and merging. Opens no files: `segjt.io` saves and loads trees.
"""
