"""The kernels of the papers and their yardsticks.

Rows of numbers come in, one per point, and a matrix of similarities goes out: ``make_kernel("jt2")(X, Y)``.
`registry` is the one list of kernels, and `register_kernel` adds to it from outside. `evaluators` holds the exact fast
forms behind the multi-point kernels. Knows `segjt.fields`, and of `segjt.runtime` the modules `arrays`, `compiled` and
`vector_math`: no images, no threads, no files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segjt.kernels.registry import kernel_names, make_kernel, register_kernel, unregister_kernel

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

__all__ = ["Kernel", "kernel_names", "make_kernel", "register_kernel", "unregister_kernel"]


def __getattr__(name: str) -> Any:
    """Import `Kernel` when it is first asked for: numpy would slow down `segjt --help`."""
    if name == "Kernel":
        from segjt.kernels.base import Kernel

        return Kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
