"""The one list of kernels: the command line, the pipeline, the estimators and the tests read it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from segjt.fields import Field, fields_of, suggestion

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

# Where each kernel lives. Modules are imported when a kernel is made, so that `segjt --help` is fast.
KERNELS = {
    "gaussian": "classic.Gaussian",
    "exponential": "classic.Exponential",
    "self_tuning": "classic.SelfTuning",
    "linear": "classic.Linear",
    "polynomial": "classic.Polynomial",
    "jt2": "jensen.JT2",
    "expjt2": "jensen.ExpJT2",
    "jt3": "multipoint.JT3",
    "expjt3": "multipoint.ExpJT3",
    "jtn": "multipoint.JTn",
    "expjtn": "multipoint.ExpJTn",
    "nlin": "multipoint.NLin",
    "npoint": "multipoint.NPoint",
    "jt3+": "sampled.JT3Sampled",
    "expjt3+": "sampled.ExpJT3Sampled",
    "jtn+": "sampled.JTnSampled",
    "expjtn+": "sampled.ExpJTnSampled",
    "nlin+": "sampled.NLinSampled",
    "npoint+": "sampled.NPointSampled",
    "js": "jensen.JensenShannon",
    "expjs": "jensen.ExpJS",
    "weighted_expjs": "jensen.WeightedExpJS",
    "weighted_jt": "jensen.WeightedJT",
    "weighted_jt_normalized": "jensen.WeightedJTNormalized",
    "expjr": "jensen.ExpJR",
    "boolean": "jensen.Boolean",
    "heat": "jensen.Heat",
    "relaxed_j": "relaxed.RelaxedJ",
    "relaxed_h": "relaxed.RelaxedH",
    "relaxed_b": "relaxed.RelaxedB",
    "relaxed_jr": "relaxed.RelaxedJR",
    "relaxed_br": "relaxed.RelaxedBR",
    "normalized": "normalized.Normalized",
}
# Those that are made of another kernel, and so have a parameter `kernel`: its name, or itself.
COMPOSITES = ("npoint", "npoint+", "normalized")


def kernel_names() -> list[str]:
    """Return the names that `make_kernel` takes."""
    return list(KERNELS)


def kernel_class(name: str) -> type[Kernel]:
    """Return the class behind a name; an unknown name is a ValueError that lists the choices."""
    Field("name of the kernel", str, words=kernel_names).check("kernel", name)
    module, class_name = KERNELS[name].split(".")
    found: type[Kernel] = getattr(importlib.import_module(f"segjt.kernels.{module}"), class_name)
    return found


def default_base(name: str) -> str:
    """Return the name of the kernel that a composite is made of if none is given."""
    return str(kernel_class(name).__dataclass_fields__["kernel"].default)


def make_kernel(name: str, **parameters: Any) -> Kernel:
    """Make a kernel by name.

    Parameters
    ----------
    name : str
        One of `kernel_names()`.
    **parameters
        The kernel's own parameters, such as ``q`` or ``sigma``; those left out keep their defaults. Kernels made
        of another one, `normalized` and `npoint`, take that as ``kernel``, a name or a kernel, and with a name its
        parameters too.

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
    found = kernel_class(name)
    known = fields_of(found)
    own = {parameter: value for parameter, value in parameters.items() if parameter in known}
    others = {parameter: value for parameter, value in parameters.items() if parameter not in known}
    if name in COMPOSITES:
        base = others.pop("kernel", default_base(name))
        if isinstance(base, str):
            base = make_kernel(base, **others)
        elif others:
            raise ValueError(f"kernel = {base} has its parameters already; set {', '.join(others)} where it is made")
        return found(**own | {"kernel": base})
    for parameter in others:
        choices = ", ".join(known) or "no parameters"
        raise ValueError(
            f"kernel {name!r} has no parameter {parameter!r}{suggestion(parameter, known)}; it takes {choices}"
        )
    return found(**own)
