"""The one list of ways to merge: the pipeline, the parameters, the command line and the benchmarks read it.

A new way is a `MergeMethod` in a module of this room, with one line in `METHODS`; or, from outside of segjt,
`register_merge_method`.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from segjt.fields import Field

if TYPE_CHECKING:
    from segjt.merging.merges import Merges
    from segjt.region_graph.graph import RegionGraph
    from segjt.runtime.arrays import Groups


@dataclasses.dataclass(frozen=True)
class MergeMethod:
    """One way to merge the regions of a graph.

    Attributes
    ----------
    name : str
        What ``merge_method=`` calls it.
    sees : {"lab", "colour"}
        What it sees of a pixel: see `segjt.region_graph.pixel_levels`.
    group : callable, optional
        Takes the region graph, several numbers of segments, `power` and a seed, and returns for each number the group,
        from 0, of every region.
    merge : callable, optional
        Takes the region graph, whose arrays it may use up, and returns its merges down to about 100 regions, and those
        from there to one. Methods that have it make hierarchies, and need no `group`.
    """

    name: str
    sees: str
    group: Callable[[RegionGraph, Sequence[int], float, int], list[Groups]] | None = None
    merge: Callable[[RegionGraph], tuple[Merges, Merges]] | None = None

    @property
    def makes_tree(self) -> bool:
        """Whether all merges together are a tree, and so a hierarchy."""
        return self.merge is not None


# Where each method lives: imported when it is used, so that `segjt --help` is fast.
METHODS: dict[str, str | MergeMethod] = {
    "cues": "segjt.merging.cues",
    "ncut": "segjt.merging.ncut",
    "spectral": "segjt.merging.spectral",
}


def merge_method_names() -> list[str]:
    """Return the names that ``merge_method=`` takes."""
    return list(METHODS)


def merge_method(name: str) -> MergeMethod:
    """Return the method of a name; an unknown name is a ValueError that lists the choices."""
    Field("how small segments are merged", str, words=merge_method_names).check("merge_method", name)
    listed = METHODS[name]
    method: MergeMethod = importlib.import_module(listed).METHOD if isinstance(listed, str) else listed
    return method


def register_merge_method(method: MergeMethod) -> MergeMethod:
    """Make a way to merge known by its name, which must be new.

    Parameters
    ----------
    method : MergeMethod
        Its name becomes a value of ``merge_method=`` and ``--merge-method``.

    Returns
    -------
    MergeMethod
        The method itself.

    Examples
    --------
    >>> from segjt.merging import MergeMethod, register_merge_method, unregister_merge_method
    >>> from segjt.merging.registry import merge_method
    >>> paper = merge_method("ncut")
    >>> def gently(graph, numbers, power, seed):
    ...     return paper.group(graph, numbers, power / 4, seed)
    >>> method = register_merge_method(MergeMethod("gentle", sees="colour", group=gently))
    >>> import numpy as np, segjt
    >>> segjt.segment(np.eye(20), n_segments=2, merge_method="gentle").max().item()
    2
    >>> unregister_merge_method("gentle")
    """
    if method.sees not in ("lab", "colour"):
        raise ValueError(f"sees = {method.sees!r} is unknown; choose lab or colour")
    if (method.group is None) == (method.merge is None):
        raise ValueError(f"merge method {method.name!r} needs either group or merge; give one of them")
    if method.name in METHODS:
        raise ValueError(f"merge method {method.name!r} exists already; choose another name")
    METHODS[method.name] = method
    return method


def unregister_merge_method(name: str) -> None:
    """Forget a way to merge; an unknown name is a ValueError that lists the choices."""
    merge_method(name)
    del METHODS[name]
