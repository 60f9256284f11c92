"""The one list of kernels: the command line, the pipeline, the estimators and the tests read it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from segjt.knobs import Knob, knobs_of, suggestion

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

# Where each kernel lives. Modules are imported when a kernel is made, so that `segjt --help` is fast.
KERNELS = {
    "gaussian": "classic.Gaussian",
    "linear": "classic.Linear",
    "polynomial": "classic.Polynomial",
    "jt2": "jensen.JT2",
    "expjt2": "jensen.ExpJT2",
    "jt3": "multipoint.JT3",
    "expjt3": "multipoint.ExpJT3",
    "jtn": "multipoint.JTn",
    "nlin": "multipoint.NLin",
}


def kernel_names() -> list[str]:
    """Return the names that `make_kernel` takes."""
    return list(KERNELS)


def kernel_class(name: str) -> type[Kernel]:
    """Return the class behind a name; an unknown name is a ValueError that lists the choices."""
    Knob("name of the kernel", str, words=kernel_names).check("kernel", name)
    module, class_name = KERNELS[name].split(".")
    found: type[Kernel] = getattr(importlib.import_module(f"segjt.kernels.{module}"), class_name)
    return found


def make_kernel(name: str, **parameters: Any) -> Kernel:
    """Make a kernel by name.

    Parameters
    ----------
    name : str
        One of `kernel_names()`.
    **parameters
        The kernel's own parameters, such as ``q`` or ``sigma``; those left out keep their defaults.

    Returns
    -------
    Kernel
        ``k(X)`` and ``k(X, Y)`` give Gram matrices, ``k.affinity(X)`` what spectral methods use.

    Examples
    --------
    >>> from segjt.kernels import make_kernel
    >>> k = make_kernel("jt2", q=2.0)
    >>> k([[0.5, 0.5]]).item()    # twice the inner product
    1.0
    """
    found = kernel_class(name)
    known = knobs_of(found)
    for parameter in parameters:
        if parameter not in known:
            choices = ", ".join(known) or "no parameters"
            raise ValueError(
                f"kernel {name!r} has no parameter {parameter!r}{suggestion(parameter, known)}; it takes {choices}"
            )
    return found(**parameters)
