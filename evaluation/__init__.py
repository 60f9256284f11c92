"""How good a segmentation is: `weizmann` (objects), `berkeley` (regions), `scores` (clusterings)."""
