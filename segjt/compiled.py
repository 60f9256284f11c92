"""Compiling hot loops: numba, cached on disk, without the interpreter lock; nothing compiles at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; later processes take it from the cache, if there is room for one."""
    try:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # neither beside the source nor in the home folder can anything be written
        return cast(Function, numba.njit(nogil=True)(function))
