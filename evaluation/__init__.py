"""How good a segmentation is."""
