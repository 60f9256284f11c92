"""Compiling hot loops: numba, cached on disk, without the interpreter lock; nothing compiles at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; later processes take it from the cache, if there is room for one."""
    return compile_with(function, fastmath=False)


def compiled_fused(function: Function) -> Function:
    """Do the same, and let a product and a sum be one instruction, which rounds once."""
    return compile_with(function, fastmath={"contract"})


def compiled_reordering(function: Function) -> Function:
    """Do that, and let sums be added up in another order than written: vector instructions need it."""
    return compile_with(function, fastmath={"reassoc", "contract", "nsz"})


def compile_with(function: Function, **options: Any) -> Function:
    """Return the function compiled by numba with these options."""
    # numpy's division: a test for 0 before each one would keep loops from becoming vector instructions.
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # neither beside the source nor in the home folder can anything be written
        return cast(Function, numba.njit(**options)(function))
