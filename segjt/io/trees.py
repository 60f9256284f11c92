"""Merge trees in .npz files."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from segjt.io.files import write_files

if TYPE_CHECKING:
    from segjt.trees.merge_tree import MergeTree

TREE_FORMAT = "segjt merge tree 2"
# Names of the arrays of `MergeTree.evidence` begin with this.
EVIDENCE = "evidence_"


def save_tree(tree: MergeTree, path: str | Path, overwrite: bool = False) -> None:
    """Write a merge tree to an .npz file; a file that exists is kept unless `overwrite`."""
    buffer = io.BytesIO()
    arrays = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree) if field.name != "evidence"}
    if tree.evidence is not None:
        parts = dataclasses.fields(tree.evidence)
        arrays |= {EVIDENCE + part.name: getattr(tree.evidence, part.name) for part in parts}
    np.savez_compressed(buffer, format=np.array(TREE_FORMAT), **arrays)
    write_files({Path(path): buffer.getvalue()}, overwrite)


def load_tree(path: str | Path) -> MergeTree:
    """Read a merge tree that `save_tree` wrote; anything else is a ValueError that names the file."""
    # Compiled code, which reading images does not need.
    from segjt.region_graph.evidence import Evidence
    from segjt.trees.merge_tree import MergeTree, check_tree

    data = Path(path).read_bytes()
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            if str(stored["format"]) != TREE_FORMAT:
                raise ValueError(f"its format is not {TREE_FORMAT!r}")
            names = [field.name for field in dataclasses.fields(MergeTree) if field.name != "evidence"]
            arrays = {name: stored[name] for name in names}
            parts = [part.name for part in dataclasses.fields(Evidence)]
            has_evidence = any(name.startswith(EVIDENCE) for name in stored.files)
            evidence = Evidence(**{name: stored[EVIDENCE + name] for name in parts}) if has_evidence else None
        tree = MergeTree(**arrays | {"n_auto": int(arrays["n_auto"]), "evidence": evidence})
        check_tree(tree)
    except MemoryError:
        raise
    except Exception as error:  # numpy does not document what it raises for damaged files
        raise ValueError(
            f"{path}: is not a merge tree ({' '.join(str(error).split())}); give a file that MergeTree.save wrote"
        ) from None
    return tree
