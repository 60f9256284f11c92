"""The merge tree: merges come in; a `MergeTree` comes out, which answers every question.

`merge_tree` has the tree and its cuts, `contours` its contour map, `kinds` what "auto" takes a picture for and the map
of it, `number_of_segments` the number that shows one object, `objects` many things of a kind (by the `objectness` of
all `nodes`, and by `object_options`), `outlines` what lies along the edges of regions, `building` makes a tree of
merges, `refinement` moves its outlines to the pixel. Knows labels, `fields`, `parameters`, the region graph and
merging. Opens no files: `segjt.io` saves and loads trees.
"""
