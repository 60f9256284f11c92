"""The files that belong to one image: their names, and the record that lists them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segjt.io import check_targets
from segjt.results import Export, Segmentation, choose_exports

# What commands find; the record of photo.png is photo_KIND.json.
KINDS = ("segments", "objects")


@dataclass(frozen=True)
class ResultFiles:
    """The files that are written for one image.

    Attributes
    ----------
    folder : Path
        Where they go.
    stem : str
        What their names begin with.
    exports : sequence of Export
        What they hold.
    kind : str
        One of `KINDS`: what was found.
    """

    folder: Path
    stem: str
    exports: Sequence[Export] = tuple(choose_exports())
    kind: str = KINDS[0]

    @property
    def record(self) -> Path:
        """Path of the record."""
        return self.path(self.kind, ".json")

    def path(self, name: str, suffix: str = ".png") -> Path:
        """Return the path of an export."""
        return self.folder / f"{self.stem}_{name}{suffix}"

    def possible(self) -> list[Path]:
        """Return every path that may be written for the image."""
        return [*(self.path(export.name, suffix) for export in self.exports for suffix in export.suffixes), self.record]

    def check(self, taken: dict[Path, str], overwrite: bool) -> None:
        """Raise an error if a result would replace an input, a result of another image, or a file to be kept."""
        for path in self.possible():
            if path.resolve() in taken:
                raise ValueError(
                    f"its result {path} {taken[path.resolve()]}; rename one, or use -o with another folder"
                )
        check_targets(self.possible(), overwrite)

    def encode(self, segmentation: Segmentation) -> dict[Path, bytes]:
        """Return the content of each file, without the record."""
        return {
            self.path(export.name, export.suffix(segmentation)): export.encode(segmentation) for export in self.exports
        }

    def earlier(self, names: Sequence[str]) -> list[str]:
        """Return the files of an earlier run that files of these names do not replace.

        The new record lists them too, so that they are not mistaken for images.
        """
        return [name for name in listed_files(self.record) if name not in names and (self.folder / name).exists()]


def is_result(path: Path) -> bool:
    """Tell whether a record beside the file lists it, so that `segjt segment *.png` can be run twice."""
    words = path.stem.split("_")
    stems = ["_".join(words[:n]) for n in range(1, len(words))]
    records = [path.with_name(f"{stem}_{kind}.json") for stem in stems for kind in KINDS]
    return any(path.name in listed_files(record) for record in records)


def listed_files(record: Path) -> list[str]:
    """Return the names of all results that a record lists; none if the file is not a record."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = json.loads(record.read_text(encoding="utf-8"))
        return [str(name) for name in (*content["files"], *content.get("earlier_files", ()))]
    return []
