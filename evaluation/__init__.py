"""How good and how fast segjt is: scores, benchmarks of images and of learning, their tables and reports.

In come label maps or clusterings with their truth, or the data sets of `segjt.datasets`; out come scores (`scores`,
`weizmann`, `berkeley`, `instances`), tables, and the files of `segjt benchmark`. Results are kept in a `store`, from
which an interrupted run resumes. This package may know every other one; only the command line knows it. ACCURACY.md and
LEARNING.md have the figures.
"""
