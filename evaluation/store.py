"""Where a benchmark keeps its results: one SQLite file, from which an interrupted run resumes.

A row is one finished unit, identified by the benchmark, the digest of the image and its truth (or of a data set), the
unit's parameters (as JSON) and the version of the code (`segjt.evaluation.versions`). It is written in a transaction of
its own as soon as the unit is finished: a process that is killed loses the unit in progress and nothing else. Several
processes may share one store; where two have computed the same unit, one row remains.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Protocol

from segjt.evaluation.unit_of_work import OURS, UnitResult
from segjt.evaluation.versions import code_version

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


class StoredUnit(Protocol):
    """A unit whose result the store can keep."""

    @property
    def method(self) -> str:
        """Whose code it runs, see `segjt.evaluation.versions.code_version`."""

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""


class Store:
    """The file of results; use it in a `with` statement, which closes it."""

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
        """Keep the result of a unit; an earlier failure of it is forgotten."""
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
        """Return the result of a unit, or None if this version of the code has not computed it."""
        with self.errors():
            row = self.connection.execute(
                f"SELECT scores, seconds, total FROM units WHERE {PLACE}",
                (benchmark, image, unit.key(), code_version(unit.method)),
            ).fetchone()
        return UnitResult(json.loads(row[0]), json.loads(row[1]), row[2]) if row else None

    def finished(self, benchmark: str, units: Iterable[StoredUnit]) -> set[tuple[str, str]]:
        """Return (image, key of the unit) of every result that this version of the code has for these units."""
        query = "SELECT image FROM units WHERE benchmark = ? AND unit = ? AND code = ?"
        with self.errors():
            return {
                (image, unit.key())
                for unit in units
                for (image,) in self.connection.execute(query, (benchmark, unit.key(), code_version(unit.method)))
            }

    def totals(self, benchmark: str, unit: StoredUnit) -> dict[str, float]:
        """Return the seconds that a unit took on each image, by digest of the image."""
        query = "SELECT image, total FROM units WHERE benchmark = ? AND unit = ? AND code = ?"
        with self.errors():
            return dict(self.connection.execute(query, (benchmark, unit.key(), code_version(unit.method))))

    def failures(self, benchmark: str) -> list[tuple[str, str, str]]:
        """Return (image, key of the unit or "", message) of every failure of a benchmark."""
        query = "SELECT image, unit, message FROM failures WHERE benchmark = ? ORDER BY image, unit, code"
        with self.errors():
            return list(self.connection.execute(query, (benchmark,)))
