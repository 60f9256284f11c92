"""Where a benchmark keeps what it has computed: one SQLite file, so that a run goes on where an earlier one stopped.

A row is one finished unit, found by the benchmark, the digest of the image and its truth (or of a data set), the unit's
parameters (as JSON) and the version of the code. It is written in one transaction of its own as soon as the unit is
finished: a process that is killed loses what it was working on and nothing else. Several processes may use one store;
where two have computed the same unit, one row remains.

The version of the code is that of segjt with a hash of the sources that decide the results, comments and layout left
out, and of the versions of the libraries they use: an algorithm that has changed does not reuse old results, and what
has not changed, such as the peers after a change to our kernels, is not computed again.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.metadata
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Protocol

import segjt
from segjt.evaluation.units import OURS, UnitResult

# Seconds to wait while another process writes.
PATIENCE = 60.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS units (
    benchmark TEXT NOT NULL, image TEXT NOT NULL, unit TEXT NOT NULL, code TEXT NOT NULL,
    scores TEXT NOT NULL, seconds TEXT NOT NULL, total REAL NOT NULL,
    PRIMARY KEY (benchmark, unit, code, image)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (
    benchmark TEXT NOT NULL, image TEXT NOT NULL, unit TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (benchmark, unit, code, image)
) WITHOUT ROWID;
"""
PLACE = "benchmark = ? AND image = ? AND unit = ? AND code = ?"
# The sources, by package, that decide the results of the peers, and those that decide ours as well; the rest of segjt
# (command line, estimators, tables) does not.
SCORING = {
    "segjt": ("labels.py",),
    "segjt.datasets": ("__init__.py", "items.py", "folders.py", "*_database.py"),
    "segjt.evaluation": ("scores.py", "scorers.py", "weizmann.py", "berkeley.py", "units.py", "peers.py"),
}
ALGORITHM = {
    "segjt": ("*.py",),
    **{
        f"segjt.{room}": ("*.py",)
        for room in (
            "kernels",
            "kernels.evaluators",
            "runtime",
            "spectral",
            "superpixels",
            "region_graph",
            "merging",
            "trees",
            "whole_image",
        )
    },
}
# Those that decide the results of a learning experiment: the modules of its paper, and what all of them share.
LEARNING = "learning"
LEARNERS = {
    "segjt": ("labels.py",),
    "segjt.runtime": ("*.py",),
    "segjt.spectral": ("*.py",),
    "segjt.kernels": ("*.py",),
    "segjt.kernels.evaluators": ("*.py",),
    "segjt.learn": ("*.py",),
    "segjt.datasets": ("vectors.py", "texts.py", "words.py", "porter.py"),
    "segjt.evaluation": ("scores.py",),
}
NO_PART_OF_RESULTS = ("__init__.py", "registry.py", "benchmark.py", "tables.py", "report.py")
LIBRARIES = ("numpy", "scipy", "scikit-image", "scikit-learn", "opencv-python", "numba", "pillow")


class StoredUnit(Protocol):
    """What the store can keep the result of."""

    @property
    def method(self) -> str:
        """Whose code it runs: "segjt", a peer's, or "learning 000" for an experiment of paper 000."""

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""


class Store:
    """The file; use it in a `with` statement, or close it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.errors():
            self.connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.executescript(SCHEMA)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn an error of SQLite into one that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(f"{self.path}: the store cannot be used ({error}); name another file with --store") from None
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"{self.path}: is not a store of segjt ({error}); name another file with --store"
            ) from None

    def add(self, benchmark: str, image: str, unit: StoredUnit, result: UnitResult) -> None:
        """Keep what a unit gave; a failure of it is forgotten."""
        place = (benchmark, image, unit.key(), code_version(unit.method))
        content = (json.dumps(result.scores), json.dumps(result.seconds), result.total)
        with self.errors():
            self.connection.execute("INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?, ?, ?)", (*place, *content))
            self.connection.execute(f"DELETE FROM failures WHERE {PLACE}", place)

    def add_failure(self, benchmark: str, image: str, unit: StoredUnit | None, message: str) -> None:
        """Keep why a unit failed, or (without a unit) why an image cannot be used; the next run tries again."""
        method, key = (unit.method, unit.key()) if unit else (OURS, "")
        place = (benchmark, image, key, code_version(method))
        with self.errors():
            self.connection.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)", (*place, message))

    def forget_failure(self, benchmark: str, image: str) -> None:
        """Forget that an image could not be used."""
        with self.errors():
            self.connection.execute(
                "DELETE FROM failures WHERE benchmark = ? AND image = ? AND unit = ''", (benchmark, image)
            )

    def get(self, benchmark: str, image: str, unit: StoredUnit) -> UnitResult | None:
        """Return what a unit gave, if it has been computed by this version of the code."""
        with self.errors():
            row = self.connection.execute(
                f"SELECT scores, seconds, total FROM units WHERE {PLACE}",
                (benchmark, image, unit.key(), code_version(unit.method)),
            ).fetchone()
        return UnitResult(json.loads(row[0]), json.loads(row[1]), row[2]) if row else None

    def finished(self, benchmark: str, units: Iterable[StoredUnit]) -> set[tuple[str, str]]:
        """Return (image, key of the unit) of those of these units that this version of the code has computed."""
        query = "SELECT image FROM units WHERE benchmark = ? AND unit = ? AND code = ?"
        with self.errors():
            return {
                (image, unit.key())
                for unit in units
                for (image,) in self.connection.execute(query, (benchmark, unit.key(), code_version(unit.method)))
            }

    def totals(self, benchmark: str, unit: StoredUnit) -> dict[str, float]:
        """Return how many seconds a unit took, by image."""
        query = "SELECT image, total FROM units WHERE benchmark = ? AND unit = ? AND code = ?"
        with self.errors():
            return dict(self.connection.execute(query, (benchmark, unit.key(), code_version(unit.method))))

    def failures(self, benchmark: str) -> list[tuple[str, str, str]]:
        """Return (image, key of the unit or nothing, message) of all failures of a benchmark."""
        query = "SELECT image, unit, message FROM failures WHERE benchmark = ? ORDER BY image, unit, code"
        with self.errors():
            return list(self.connection.execute(query, (benchmark,)))


@functools.cache
def code_version(method: str) -> str:
    """Return the version of the code that decides the results of a method: see `StoredUnit.method`."""
    total = hashlib.sha256()
    for package, path in sources(method):
        code = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
        total.update(f"{package} {path.name}\n{code}\n".encode())
    for library in LIBRARIES:
        total.update(f"{library} {library_version(library)}\n".encode())
    return f"{segjt.__version__}+{total.hexdigest()[:12]}"


def sources(method: str) -> Iterator[tuple[str, Path]]:
    """Yield the source files, with their packages, that decide the results of a method."""
    name, _, paper = method.partition(" ")
    patterns = LEARNERS if name == LEARNING else SCORING | (ALGORITHM if name == OURS else {})
    for package, names in patterns.items():
        for path in sorted(path for pattern in names for path in folder_of(package).glob(pattern)):
            yield package, path
    if name == LEARNING:
        package = "segjt.evaluation.learning"
        for path in sorted(folder_of(package).glob("*.py")):
            other_paper = path.name.startswith("paper") and not path.name.startswith(f"paper{paper}")
            if path.name not in NO_PART_OF_RESULTS and not other_paper:
                yield package, path


def folder_of(package: str) -> Path:
    """Return where a package is."""
    return Path(str(importlib.import_module(package).__file__)).parent


def library_version(name: str) -> str:
    """Return the version of an installed library, or nothing if it is installed under another name."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
