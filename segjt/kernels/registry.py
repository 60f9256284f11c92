"""The one list of kernels: the command line, the pipeline, the estimators and the tests read it.

A new kernel is a subclass of `Kernel`: here it gets a line in `KERNELS`, elsewhere the decorator `register_kernel`.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any, TypeVar

from segjt.fields import Field, fields_of, suggestion

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

KernelClass = TypeVar("KernelClass", bound="type[Kernel]")

# Where each kernel lives, or its class: modules are imported when a kernel is made, so that `segjt --help` is fast.
KERNELS: dict[str, str | type[Kernel]] = {
    "gaussian": "segjt.kernels.classic.Gaussian",
    "exponential": "segjt.kernels.classic.Exponential",
    "self_tuning": "segjt.kernels.classic.SelfTuning",
    "linear": "segjt.kernels.classic.Linear",
    "polynomial": "segjt.kernels.classic.Polynomial",
    "jt2": "segjt.kernels.jensen.JT2",
    "expjt2": "segjt.kernels.jensen.ExpJT2",
    "jt3": "segjt.kernels.multipoint.JT3",
    "expjt3": "segjt.kernels.multipoint.ExpJT3",
    "jtn": "segjt.kernels.multipoint.JTn",
    "expjtn": "segjt.kernels.multipoint.ExpJTn",
    "nlin": "segjt.kernels.multipoint.NLin",
    "npoint": "segjt.kernels.multipoint.NPoint",
    "jt3+": "segjt.kernels.sampled.JT3Sampled",
    "expjt3+": "segjt.kernels.sampled.ExpJT3Sampled",
    "jtn+": "segjt.kernels.sampled.JTnSampled",
    "expjtn+": "segjt.kernels.sampled.ExpJTnSampled",
    "nlin+": "segjt.kernels.sampled.NLinSampled",
    "npoint+": "segjt.kernels.sampled.NPointSampled",
    "js": "segjt.kernels.jensen.JensenShannon",
    "expjs": "segjt.kernels.jensen.ExpJS",
    "weighted_expjs": "segjt.kernels.jensen.WeightedExpJS",
    "weighted_jt": "segjt.kernels.jensen.WeightedJT",
    "weighted_jt_normalized": "segjt.kernels.jensen.WeightedJTNormalized",
    "expjr": "segjt.kernels.jensen.ExpJR",
    "boolean": "segjt.kernels.jensen.Boolean",
    "heat": "segjt.kernels.jensen.Heat",
    "relaxed_j": "segjt.kernels.relaxed.RelaxedJ",
    "relaxed_h": "segjt.kernels.relaxed.RelaxedH",
    "relaxed_b": "segjt.kernels.relaxed.RelaxedB",
    "relaxed_jr": "segjt.kernels.relaxed.RelaxedJR",
    "relaxed_br": "segjt.kernels.relaxed.RelaxedBR",
    "relaxed_mu": "segjt.kernels.relaxed.RelaxedMu",
    "relaxed_sigma": "segjt.kernels.relaxed.RelaxedSigma",
    "relaxed_r": "segjt.kernels.relaxed.RelaxedR",
    "relaxed_product": "segjt.kernels.relaxed.RelaxedProduct",
    "normalized": "segjt.kernels.normalized.Normalized",
}
# Those that are made of another kernel, and so have a parameter `kernel`: its name, or itself. Reading this off the
# classes would import numpy for `segjt --help`.
COMPOSITES = ["npoint", "npoint+", "normalized"]


def kernel_names() -> list[str]:
    """Return the names that `make_kernel` takes."""
    return list(KERNELS)


def kernel_class(name: str) -> type[Kernel]:
    """Return the class behind a name; an unknown name is a ValueError that lists the choices."""
    Field("name of the kernel", str, words=kernel_names).check("kernel", name)
    home = KERNELS[name]
    if not isinstance(home, str):
        return home
    module, _, class_name = home.rpartition(".")
    kernel: type[Kernel] = getattr(importlib.import_module(module), class_name)
    return kernel


def register_kernel(kernel: KernelClass) -> KernelClass:
    """Make a kernel known by its name, wherever a kernel can be named; a class decorator.

    Parameters
    ----------
    kernel : type
        A subclass of `Kernel` with a `name`, and with `gram` or `log_gram`; a dataclass if it has parameters.

    Returns
    -------
    type
        The class itself.

    Examples
    --------
    >>> from segjt.kernels import Kernel, make_kernel, register_kernel, unregister_kernel
    >>> @register_kernel
    ... class Cauchy(Kernel):
    ...     "Cauchy kernel 1 / (1 + |x - y|^2)."
    ...     name = "cauchy"
    ...     def gram(self, X, Y):
    ...         return 1 / (1 + ((X[:, None] - Y[None]) ** 2).sum(2))
    >>> make_kernel("cauchy")([[0.0], [1.0]])[0, 1].item()
    0.5
    >>> unregister_kernel("cauchy")
    """
    from segjt.kernels.base import Composite

    check_kernel_class(kernel)
    name = kernel.name
    # The cell of a notebook that is run again defines the same class once more.
    if name in KERNELS and full_name(kernel_class(name)) != full_name(kernel):
        taken_by = full_name(kernel_class(name))
        raise ValueError(f"the name {name!r} belongs to {taken_by}; give {kernel.__name__} another name")
    KERNELS[name] = kernel
    if issubclass(kernel, Composite) and name not in COMPOSITES:
        COMPOSITES.append(name)
    return kernel


def check_kernel_class(kernel: Any) -> None:
    """Raise a TypeError that says what a class lacks to be a kernel with a name."""
    from segjt.kernels.base import Kernel, check_defined

    if not (isinstance(kernel, type) and issubclass(kernel, Kernel)):
        raise TypeError(f"{kernel!r} is not a kernel; register a subclass of segjt.kernels.Kernel")
    check_defined(kernel)
    if not isinstance(getattr(kernel, "name", None), str):
        raise TypeError(f'{kernel.__name__} has no name; give it one, such as name = "{kernel.__name__.lower()}"')
    if any(isinstance(value, dataclasses.Field) for value in vars(kernel).values()):
        raise TypeError(
            f"{kernel.__name__} declares parameters but is not a dataclass; "
            "put @dataclass(frozen=True) below @register_kernel"
        )


def unregister_kernel(name: str) -> None:
    """Forget a kernel; an unknown name is a ValueError that lists the choices."""
    kernel_class(name)
    del KERNELS[name]
    if name in COMPOSITES:
        COMPOSITES.remove(name)


def full_name(kernel: type[Kernel]) -> str:
    """Return the name of a class with that of its module."""
    return f"{kernel.__module__}.{kernel.__qualname__}"


def default_base(name: str) -> str:
    """Return the name of the kernel that a composite is made of unless another is given."""
    return str(kernel_class(name).__dataclass_fields__["kernel"].default)


def make_kernel(name: str, **parameters: Any) -> Kernel:
    """Make a kernel by name.

    Parameters
    ----------
    name : str
        One of `kernel_names()`.
    **parameters
        The kernel's own parameters, such as ``q`` or ``sigma``; those left out keep their defaults. Kernels made
        of another one, such as `normalized` and `npoint`, take that as ``kernel``, a name or a kernel, and with a
        name its parameters too.

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
    >>> cosine = make_kernel("normalized", kernel="polynomial", degree=3, order=0)
    """
    kernel = kernel_class(name)
    known = fields_of(kernel)
    own = {parameter: value for parameter, value in parameters.items() if parameter in known}
    others = {parameter: value for parameter, value in parameters.items() if parameter not in known}
    if name in COMPOSITES:
        base = others.pop("kernel", default_base(name))
        if isinstance(base, str):
            base = make_kernel(base, **others)
        elif others:
            raise ValueError(f"kernel = {base} has its parameters already; set {', '.join(others)} where it is made")
        return kernel(**own | {"kernel": base})
    for parameter in others:
        choices = ", ".join(known) or "no parameters"
        raise ValueError(
            f"kernel {name!r} has no parameter {parameter!r}{suggestion(parameter, known)}; it takes {choices}"
        )
    return kernel(**own)
