"""Merge trees in .npz files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from segjt.io.files import write_files

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree

TREE_FORMAT = "segjt merge tree 2"


def save_tree(tree: MergeTree, path: str | Path, overwrite: bool = False) -> None:
    """Write a merge tree to an .npz file; a file that exists is kept unless `overwrite`."""
    from segjt.trees.records import arrays_of

    buffer = io.BytesIO()
    arrays: dict[str, Any] = arrays_of(tree) | {"format": np.array(TREE_FORMAT)}
    np.savez_compressed(buffer, **arrays)
    write_files({Path(path): buffer.getvalue()}, overwrite)


def load_tree(path: str | Path) -> MergeTree:
    """Read a merge tree that `save_tree` wrote; anything else is a ValueError that names the file."""
    from segjt.trees.records import tree_of  # compiled code, which reading images does not need

    data = Path(path).read_bytes()
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            if str(stored["format"]) != TREE_FORMAT:
                raise ValueError(f"its format is not {TREE_FORMAT!r}")
            tree = tree_of({name: stored[name] for name in stored.files})
    except MemoryError:
        raise
    except Exception as error:  # numpy does not document what it raises for damaged files
        raise ValueError(
            f"{path}: is not a merge tree ({' '.join(str(error).split())}); give a file that MergeTree.save wrote"
        ) from None
    return tree
