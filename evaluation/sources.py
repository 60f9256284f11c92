"""Which sources of segjt a module runs: what it imports, what these import, and so on, read off the source text.

Counted are import statements anywhere in a file, those inside functions too, but not those under `if TYPE_CHECKING:`;
and strings that name a module, as registries and lazy exports have them: "segjt.kernels.classic.Gaussian" is
`segjt.kernels.classic`, "paper000_table3.Paper000Table3" is the module of that name in the same package, and in the
`__init__` of a package so is a single word. A package counts with its own text for those who import a module inside it,
and with all that it imports and names for those who import something from the package itself.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = "segjt"
# "module", "module.Name", "package.module:name"
NAME_OF_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:\w+)?")


@dataclass(frozen=True)
class Source:
    """The source of a module: its code, and what it imports.

    Attributes
    ----------
    digest : str
        Hash of its code; comments and layout do not count.
    modules : frozenset of str
        The modules of segjt that it imports or names.
    libraries : frozenset of str
        Other packages that it imports, by the first part of their names; those of Python are left out.
    """

    digest: str
    modules: frozenset[str]
    libraries: frozenset[str]


def sources_of(modules: Iterable[str]) -> dict[str, Source]:
    """Return the sources that some modules of segjt run, by module name in sorted order, their own included."""
    waiting, followed, parents = list(modules), set[str](), set[str]()
    while waiting:
        module = waiting.pop()
        if module not in followed:
            followed.add(module)
            parents.update(packages_above(module))
            waiting.extend(source_of(module).modules)
    return {module: source_of(module) for module in sorted(followed | parents)}


def packages_above(module: str) -> Iterator[str]:
    """Yield the packages that a module lies in, whose `__init__` run before it."""
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


@functools.cache
def source_of(module: str) -> Source:
    """Read the source of a module of segjt."""
    tree = ast.parse(source_text(module))
    package = module if is_package(module) else module.rpartition(".")[0]
    modules: set[str] = set()
    libraries: set[str] = set()
    for node in running_nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            modules.update(named_module(node.value, package, bare_words=is_package(module)))
            continue
        for name in imported_names(node, package):
            if name.partition(".")[0] == ROOT:
                modules.add(longest_module(name))
            else:
                libraries.add(name.partition(".")[0])
    digest = hashlib.sha256(ast.unparse(tree).encode()).hexdigest()
    return Source(digest, frozenset(modules - {module}), frozenset(libraries - sys.stdlib_module_names))


def source_text(module: str) -> str:
    """Return the text of a module of segjt."""
    path = file_of(module)
    if path is None:
        raise ModuleNotFoundError(f"{module}: there is no such module in segjt")
    return path.read_text(encoding="utf-8")


@functools.cache
def file_of(module: str) -> Path | None:
    """Return the file of a module of segjt, without importing it; None if there is no such module."""
    package, _, name = module.rpartition(".")
    if package in ("", ROOT):  # `evaluation` and `datasets` need not lie in the folder of segjt
        spec = importlib.util.find_spec(module)
        return Path(spec.origin) if spec is not None and spec.origin is not None else None
    if not is_package(package):
        return None
    folder = Path(str(file_of(package))).parent
    candidates = (folder / f"{name}.py", folder / name / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def is_package(module: str) -> bool:
    """Tell whether a module of segjt is a package."""
    path = file_of(module)
    return path is not None and path.name == "__init__.py"


def running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a syntax tree, without what only type checkers read."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def imported_names(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the absolute names that an import statement asks for: modules, or names in them."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = importlib.util.resolve_name("." * node.level, package).rstrip(".") if node.level else ""
        base = ".".join(part for part in (above, node.module) if part)
        yield from (f"{base}.{alias.name}" for alias in node.names)


def named_module(text: str, package: str, bare_words: bool) -> Iterator[str]:
    """Yield the module that a string in a package names, if it names one."""
    if not NAME_OF_MODULE.fullmatch(text):
        return
    name = text.partition(":")[0]
    if name.startswith(f"{ROOT}."):
        package = ROOT
    elif bare_words or "." in name:
        name = f"{package}.{name}"
    else:
        return
    if (module := longest_module(name)) != package:
        yield module


def longest_module(name: str) -> str:
    """Return the module in which a name of segjt lives: the name itself, or what is before its last parts."""
    while file_of(name) is None:
        name = name.rpartition(".")[0]
    return name
