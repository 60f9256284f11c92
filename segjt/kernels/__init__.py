"""Kernels of the papers: vectors in, similarity out; nothing of images here."""

from segjt.kernels.registry import kernel_names, make_kernel

__all__ = ["kernel_names", "make_kernel"]
