"""Kernels as records: a name and parameters, as JSON and TOML can hold them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from segjt.fields import fields_of
from segjt.kernels.registry import make_kernel

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel


def kernel_record(kernel: Kernel) -> dict[str, Any]:
    """Return the name and the parameters of a kernel; base_kernel is the one it is made of, by name or as a record."""
    if not hasattr(kernel, "name"):
        raise TypeError(f"{type(kernel).__name__} has no name, which records need; give the class one")
    values = kernel.parameters()
    if "kernel" in values:
        base = values.pop("kernel")
        values["base_kernel"] = base if isinstance(base, str) else kernel_record(base)
    return {"kernel": kernel.name} | values


def kernel_of_record(values: Mapping[str, Any]) -> Kernel:
    """Return the kernel that `kernel_record` describes."""
    given = dict(values)
    name, base = given.pop("kernel", None), given.pop("base_kernel", None)
    if name is None:
        raise ValueError(f"{given} names no kernel; add kernel = ..., the name of one")
    if base is not None:
        given["kernel"] = kernel_of_record(base) if isinstance(base, Mapping) else base
    return make_kernel(name, **given)


def with_seed(kernel: Kernel, seed: int) -> Kernel:
    """Return a kernel whose samples, or those of the kernel it is made of, are drawn with a seed."""
    if "rng" in fields_of(kernel):
        return dataclasses.replace(kernel, **{"rng": seed})
    if "kernel" not in vars(kernel):
        return kernel
    return dataclasses.replace(kernel, **{"kernel": with_seed(vars(kernel)["kernel"], seed)})
