"""Grids: the settings that a benchmark tries. `evaluation/grids` has some by name; any TOML file can be another.

A grid file has `block_size`, tables `[[kernel]]` (parameters of stage one, which may have a `block_size` of its own),
`[[merge]]` (of the merging), `[[objects]]` (of `segjt.objects`) and `[[peer]]`, in which a list stands for each of its
values, and `[[default]]` with the `n_segments`, or the `height` at which the hierarchy is cut, to try with segjt's
defaults. With `images = N` only the first N images are taken.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segjt.evaluation.peers import TITLES, check_peer
from segjt.evaluation.unit_of_work import OBJECTS, OURS, Choices, Unit, combinations
from segjt.fields import Field, suggestion
from segjt.parameters import Parameters

FOLDER = Path(__file__).parent / "grids"
TABLES = ("kernel", "merge", "default", "objects", "peer")
# Tables that must say which kernel or peer they are about.
NAMED_TABLES = ("kernel", "peer")
DEFAULT = "segjt, defaults"
FINDS_OBJECTS = "segjt, objects"
HEIGHT = Field("height at which the tree of merges is cut", float)


@dataclass(frozen=True)
class Row:
    """A row of the table: a kernel with blocks of one size, segjt's defaults, its objects, or a peer; and its units."""

    name: str
    block_size: int | None
    units: tuple[Unit, ...]

    @property
    def title(self) -> str:
        """Its name in tables."""
        return TITLES.get(self.name, self.name)

    @property
    def method(self) -> str:
        """The method of its units."""
        return self.units[0].method


@dataclass(frozen=True)
class Grid:
    """The content of a grid file; every table of `kernels` has its block sizes."""

    kernels: tuple[Choices, ...]
    merges: tuple[Choices, ...]
    defaults: tuple[Choices, ...]
    objects: tuple[Choices, ...]
    peers: tuple[tuple[str, Choices], ...]
    images: int | None

    def kernel_names(self) -> list[str]:
        """Return the kernels of the grid, each once."""
        return list(dict.fromkeys(name for choices in self.kernels for name in choices["kernel"]))

    def peer_names(self) -> list[str]:
        """Return the peers of the grid, each once."""
        return list(dict.fromkeys(name for name, _ in self.peers))

    def rows(
        self,
        kernels: Sequence[str] | None = None,
        block_sizes: Sequence[int] | None = None,
        peers: Sequence[str] | None = None,
    ) -> list[Row]:
        """Return the rows of the table: all of them, or those of some kernels, block sizes and peers."""
        rows = [
            Row(kernel, size, self.kernel_units(kernel, size))
            for kernel in chosen_names(kernels, self.kernel_names(), "kernel")
            for size in (self.sizes_of(kernel) if block_sizes is None else block_sizes)
        ]
        if self.defaults:
            rows.append(Row(DEFAULT, None, (Unit(OURS, {}, self.defaults),)))
        if self.objects:
            rows.append(Row(FINDS_OBJECTS, None, (Unit(OBJECTS, {}, self.objects),)))
        for peer in chosen_names(peers, self.peer_names(), "peer"):
            variants = tuple(choices for name, choices in self.peers if name == peer)
            rows.append(Row(peer, None, (Unit(peer, {}, variants),)))
        for unit in (unit for row in rows for unit in row.units):
            check_unit(unit)
        return rows

    def sizes_of(self, kernel: str) -> list[int]:
        """Return the block sizes of a kernel, each once."""
        sizes = (size for choices in self.kernels if kernel in choices["kernel"] for size in choices["block_size"])
        return list(dict.fromkeys(sizes))

    def kernel_units(self, kernel: str, block_size: int) -> tuple[Unit, ...]:
        """Return a unit for each setting of stage one with a kernel; all of them for a block size not in the grid."""
        new_size = block_size not in self.sizes_of(kernel)
        return tuple(
            Unit(OURS, parameters, self.merges)
            for choices in self.kernels
            if kernel in choices["kernel"] and (new_size or block_size in choices["block_size"])
            for parameters in combinations(choices | {"kernel": [kernel], "block_size": [block_size]})
        )


def chosen_names(wanted: Sequence[str] | None, there: Sequence[str], kind: str) -> Sequence[str]:
    """Return the wanted names, or all if that is None; a name that the grid lacks is an error."""
    for name in wanted or ():
        if name not in there:
            raise ValueError(
                f"the grid has no {kind} {name!r}{suggestion(name, there)}; choose from {', '.join(there) or 'none'}"
            )
    return there if wanted is None else wanted


def grid_names() -> list[str]:
    """Return the names of the grids that come with segjt."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_grid(name: str) -> Grid:
    """Return the grid with a name, or that of a TOML file."""
    path = FOLDER / f"{name}.toml" if name in grid_names() else Path(name)
    try:
        return make_grid(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{name}: no such grid{suggestion(name, grid_names())}; choose from {', '.join(grid_names())}, "
            "or name a TOML file"
        ) from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def make_grid(content: dict[str, Any]) -> Grid:
    """Return the grid of a file's content; each value is checked."""
    known = ("images", "block_size", *TABLES)
    for name in content:
        if name not in known:
            raise ValueError(f"{name!r} is not part of a grid{suggestion(name, known)}; choose from {', '.join(known)}")
    kernels, merges, defaults, objects, peers = (tables_of(content, kind) for kind in TABLES)
    sizes = listed({"block_size": content.get("block_size", 16)})
    grid = Grid(
        kernels=tuple(sizes | table for table in kernels),
        merges=merges,
        defaults=defaults,
        objects=objects,
        peers=tuple(
            (name, {key: values for key, values in table.items() if key != "peer"})
            for table in peers
            for name in table["peer"]
        ),
        images=content.get("images"),
    )
    check_grid(grid)
    return grid


def tables_of(content: dict[str, Any], kind: str) -> tuple[Choices, ...]:
    """Return the tables of a kind with every value as a list; something else of that name is an error."""
    tables = content.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{kind} is not a list of tables; write [[{kind}]]")
    if kind in NAMED_TABLES and not all(kind in table for table in tables):
        raise ValueError(f'a table [[{kind}]] does not say which {kind}; begin it with {kind} = "..."')
    return tuple(listed(table) for table in tables)


def listed(table: dict[str, Any]) -> Choices:
    """Return a table with every value as a list."""
    return {name: value if isinstance(value, list) else [value] for name, value in table.items()}


def check_grid(grid: Grid) -> None:
    """Raise an error for a value that is not valid, before anything runs."""
    if grid.images is not None and (not isinstance(grid.images, int) or grid.images < 1):
        raise ValueError(f"images = {grid.images!r} is not valid; give how many images to take")
    if grid.kernels and not grid.merges:
        raise ValueError("there are kernels and nothing says how to merge; add a table [[merge]]")
    for peer, choices in grid.peers:
        check_peer(peer, choices)
    if not grid.rows():
        raise ValueError("the grid is empty; add [[kernel]] with [[merge]], [[default]], [[objects]] or [[peer]]")


def check_unit(unit: Unit) -> None:
    """Raise an error if stage one is not valid, or one of the values that follow it."""
    for choices in unit.variants:
        for name, values in choices.items():
            if not values or len({str(value) for value in values}) < len(values):
                raise ValueError(f"{name} = {values} is empty or has a value twice; give each value once")
    if unit.method == OURS:
        check_our_unit(unit)
    if unit.method == OBJECTS:
        for setting in unit.settings():
            Parameters(**setting)


def check_our_unit(unit: Unit) -> None:
    """Raise an error if a unit of segjt has parameters that are not valid, or that a grid cannot try."""
    if Parameters(**unit.parameters).method != "blocks":
        raise ValueError("a grid is for method = blocks; the whole-image method has no stage one to share")
    for choices in unit.variants:
        check_choices(choices)


def check_choices(choices: Choices) -> None:
    """Raise an error if one of the values is not valid."""
    for name, values in choices.items():
        for value in values:
            if name == "height":
                HEIGHT.check(name, value)
            else:
                Parameters(**{name: value})
    if "height" in choices and ("n_segments" in choices or choices.get("merge_method", ["cues"]) != ["cues"]):
        raise ValueError(
            "height cuts the tree of merge_method = cues; it does not go with other methods or with n_segments"
        )
