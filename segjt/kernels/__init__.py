"""The kernels of the papers and their yardsticks.

Rows of numbers come in, one per point, and a matrix of similarities goes out: ``make_kernel("jt2")(X, Y)``.
`registry` is the one list of kernels, and `register_kernel` adds to it from outside. `evaluators` holds the fast forms
behind the multi-point kernels; `tsallis` the entropies and differences behind the Jensen kernels, `feature_space` the
angles and distances of points as a kernel sees them. Knows `segjt.fields`, and of `segjt.runtime` the modules `arrays`,
`compiled` and `vector_math`: no images, no threads, no files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel
    from segjt.kernels.registry import kernel_names, make_kernel, register_kernel, unregister_kernel

__all__ = ["Kernel", "kernel_names", "make_kernel", "register_kernel", "unregister_kernel"]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "base": ["Kernel"],
        "registry": ["kernel_names", "make_kernel", "register_kernel", "unregister_kernel"],
    },
)
