"""The region graph: an image and its small segments come in; regions with their sums, contacts and islands come out.

`pixel_levels` says what merging sees of a pixel, `graph` sums it up over regions and their edges, `contacts` finds who
touches whom, `islands` links parts that a mask has separated, `evidence` has the sums that a tree keeps. All sums are
whole numbers, so those of tiles add up to those of the image. There is one graph for all ways to merge. Knows `image`
and `runtime`; never merging or trees.
"""
