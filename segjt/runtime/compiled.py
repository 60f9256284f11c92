"""Compiling hot loops: numba, cached on disk, without the interpreter lock; nothing compiles at import.

numba's cache looks at the source file of a function, not at the functions and constants that it uses from other files:
after an edit or an upgrade of one of those, old machine code would run silently. So the cache of a function is stamped
with a fingerprint of everything that is compiled into it (`fingerprint`). numba itself adds the signature, its own
version, Python's, and the processor with its features.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

Function = TypeVar("Function", bound=Callable[..., Any])

# What compiled code may use from outside of segjt.
LIBRARIES = ("builtins", "math", "numba", "numpy")


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; later processes load it from the cache on disk."""
    return compile_with(function, fastmath=False)


def compiled_fused(function: Function) -> Function:
    """Compile like `compiled`, and let a product and a sum be one instruction, which rounds once."""
    return compile_with(function, fastmath={"contract"})


def compiled_reordering(function: Function) -> Function:
    """Compile like `compiled_fused`, and let sums be added in another order than written, as vector code needs."""
    return compile_with(function, fastmath={"reassoc", "contract", "nsz"})


def compile_with(function: Function, **options: Any) -> Function:
    """Return the function compiled by numba with these options."""
    # numpy's division: a test for 0 before each one would keep loops from becoming vector instructions.
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
    # numba raises RuntimeError where it can write neither beside the source nor in the home folder.
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = FingerprintedCache(dispatcher)
    return cast(Function, dispatcher)


class FingerprintedCache(FunctionCache):
    """numba's cache of one function, emptied when anything that is compiled into the function has changed."""

    def __init__(self, dispatcher: Any) -> None:
        super().__init__(dispatcher.py_func)  # type: ignore[no-untyped-call]
        self.dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, or None; numba calls this before it compiles and saves."""
        self._cache_file._source_stamp = fingerprint(self.dispatcher)
        return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]


@functools.cache
def fingerprint(dispatcher: Any) -> str:
    """Return a digest of a compiled function and of every function and constant that it uses, from any file."""
    total = hashlib.sha256(f"numpy {np.__version__}\n".encode())
    seen = {dispatcher}
    waiting = [dispatcher]
    while waiting:
        current = waiting.pop()
        total.update(f"{options_text(current)} {code_parts(current.py_func.__code__)}\n".encode())
        for name, value in used_values(current.py_func):
            total.update(f"{name} = {constant_text(name, value)}\n".encode())
            if isinstance(value, Dispatcher) and value not in seen:
                seen.add(value)
                waiting.append(value)
    return total.hexdigest()


def options_text(dispatcher: Any) -> str:
    """Return the options that a function is compiled with, in an order that is the same in every process."""
    return repr(
        [
            (key, sorted(value) if isinstance(value, set) else value)
            for key, value in sorted(dispatcher.targetoptions.items())
        ]
    )


def code_parts(code: types.CodeType) -> tuple[Any, ...]:
    """Return what a code object computes, without the lines that it stands on."""
    constants = [code_parts(part) if isinstance(part, types.CodeType) else repr(part) for part in code.co_consts]
    return code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


def used_values(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a function uses from outside by name: defaults, closure, globals, and ``module.name`` of segjt."""
    names = sorted(all_names(function.__code__))
    yield from ((f"default {place}", value) for place, value in enumerate(function.__defaults__ or ()))
    yield from zip(
        function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True
    )
    for name in names:
        value = function.__globals__.get(name, function)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("segjt"):
            yield from ((f"{name}.{inner}", vars(value)[inner]) for inner in names if inner in vars(value))
        elif value is not function:
            yield name, value


def all_names(code: types.CodeType) -> set[str]:
    """Return the global names and attributes in a code object and in those nested in it."""
    nested = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*(all_names(part) for part in nested))


def constant_text(name: str, value: Any) -> str:
    """Return a constant of compiled code as text; a TypeError if changes of such a value could go unnoticed."""
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(constant_text(name, part) for part in value)})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, type) and issubclass(value, tuple):  # a NamedTuple: its fields are what compiled code sees
        return f"{value.__name__}{getattr(value, '_fields', ())}"
    if isinstance(value, Dispatcher):
        return f"{value.py_func.__module__}.{value.py_func.__qualname__}"
    if is_of_a_library(value):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    raise TypeError(
        f"compiled code uses {name} = {value!r}, and a change of it would go unnoticed by the cache; "
        "use numbers, tuples, arrays, named tuples and compiled functions"
    )


def is_of_a_library(value: Any) -> bool:
    """Tell whether a module, function or class is Python's, numpy's or numba's: their versions are in the key."""
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "")
    return str(module).partition(".")[0] in LIBRARIES
