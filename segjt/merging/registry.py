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
    from segjt.runtime.arrays import Floats, Groups, Ints


@dataclasses.dataclass(frozen=True)
class MergeSettings:
    """What a way to merge is told besides the graph and the numbers of segments.

    Attributes
    ----------
    power : float
        What the affinity of neighbouring regions is raised to.
    affinity : str
        What that affinity is, one of `merge_affinity_names`.
    seed : int
        Seed of random numbers.
    """

    power: float = 12.0
    affinity: str = "bhattacharyya"
    seed: int = 0


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
        Takes the region graph, several numbers of segments and the `MergeSettings`, and returns for each number the
        group, from 0, of every region.
    merge : callable, optional
        Takes the region graph, whose arrays it may use up, and returns its merges down to about 100 regions, and those
        from there to one. Methods that have it make hierarchies, and need no `group`.
    """

    name: str
    sees: str
    group: Callable[[RegionGraph, Sequence[int], MergeSettings], list[Groups]] | None = None
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

# The functions of `segjt.merging.affinities` that ``merge_affinity=`` names.
AFFINITIES = {
    "bhattacharyya": "bhattacharyya_coefficients",
    "jensen_tsallis": "jensen_tsallis_affinities",
    "jensen_tsallis_neighbours": "neighbourhood_affinities",
}


def merge_affinity_names() -> list[str]:
    """Return the names that ``merge_affinity=`` takes."""
    return list(AFFINITIES)


def merge_affinity(name: str) -> Callable[[RegionGraph, Ints], Floats]:
    """Return the function of a graph and of pairs of its regions that an affinity is; an unknown name is an error."""
    Field("what neighbouring segments are compared by", str, words=merge_affinity_names).check("merge_affinity", name)
    affinity: Callable[[RegionGraph, Ints], Floats] = getattr(
        importlib.import_module("segjt.merging.affinities"), AFFINITIES[name]
    )
    return affinity


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
    >>> import dataclasses
    >>> def gently(graph, numbers, settings):
    ...     return paper.group(graph, numbers, dataclasses.replace(settings, power=settings.power / 4))
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
