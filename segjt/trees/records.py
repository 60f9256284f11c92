"""A tree as named arrays, and back: what a file of it holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.evidence import Evidence
from segjt.trees.merge_tree import MergeTree, check_tree

# Names of the arrays of `MergeTree.evidence` begin with this.
EVIDENCE = "evidence_"


def arrays_of(tree: MergeTree) -> dict[str, NDArray[Any]]:
    """Return the arrays that make up a tree."""
    arrays = {field.name: np.asarray(getattr(tree, field.name)) for field in tree_fields()}
    if tree.evidence is not None:
        arrays |= {EVIDENCE + part.name: getattr(tree.evidence, part.name) for part in dataclasses.fields(Evidence)}
    return arrays


def tree_of(arrays: Mapping[str, NDArray[Any]]) -> MergeTree:
    """Return the tree of its arrays; a KeyError or ValueError if one is missing or they do not fit each other."""
    values: dict[str, Any] = {field.name: arrays[field.name] for field in tree_fields()}
    values["n_auto"] = int(values["n_auto"])
    if any(name.startswith(EVIDENCE) for name in arrays):
        values["evidence"] = Evidence(
            **{part.name: arrays[EVIDENCE + part.name] for part in dataclasses.fields(Evidence)}
        )
    tree = MergeTree(**values)
    check_tree(tree)
    return tree


def tree_fields() -> list[dataclasses.Field[Any]]:
    """Return the fields of a tree but the evidence, which has fields of its own."""
    return [field for field in dataclasses.fields(MergeTree) if field.name != "evidence"]
