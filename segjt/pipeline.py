"""The path of an image, in one screen: small segments, region graph, merges, tree, and the answers it gives."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from segjt.image import Image, as_image
from segjt.labels import compact, connected_parts, regroup
from segjt.merging.registry import MergeMethod, MergeSettings, merge_method
from segjt.parameters import Parameters
from segjt.region_graph.graph import RegionGraph, region_graph
from segjt.region_graph.pixel_levels import pixel_levels
from segjt.runtime.arrays import Groups, Labels
from segjt.runtime.threads import Progress, available_cores, one_blas_thread
from segjt.superpixels.oversegmentation import oversegment_blocks
from segjt.trees.building import build_tree
from segjt.trees.merge_tree import MergeTree
from segjt.trees.object_options import SMALLEST

# The way to merge whose tree chooses the number of segments for those that make no tree.
CHOOSES_NUMBER = "cues"


def segment(
    image: ArrayLike | Image,
    n_segments: int | str | None = None,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Labels:
    """Segment an image.

    Parameters
    ----------
    image : (H, W), (H, W, 3) or (H, W, 4) array
        Grey, RGB or RGBA; uint8, uint16, or float in [0, 1]. Pixels of alpha 0 are masked out.
    n_segments : int or "auto", optional
        Number of segments. "auto", the default, takes the map of what ``find`` looks for: "object" the one that can be
        expected to show one object best; "objects" many things of a kind, each a segment, and the connected parts of
        the ground as further ones (`objects` has 0 for the ground instead); "scene" a partition of everything. Without
        ``find`` it is "objects" if the picture surely shows many things of a kind, else "object".
    mask : (H, W) array of bool, optional
        True where a pixel takes part; the others get label 0.
    channel_axis : int, optional
        The axis of the channels of a multi-channel image, such as one with five bands.
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same labels, whatever the number of workers.
    parameters : Parameters, optional
        All settings in one object; the other arguments change single ones of them.
    progress : callable, optional
        Called with the number of blocks done and the number in all.
    **settings
        Any field of `Parameters`, for instance ``kernel="jt2", q=1.25, block_size=32``.

    Returns
    -------
    (H, W) int32 array
        Labels 1..K, compact; 0 only where a pixel is masked out. Segments are 4-connected unless a mask parts them;
        ``merge_method="spectral"`` may also join segments that do not touch.

    References
    ----------
    Ghoshdastidar, Adsul, Dukkipati: Learning with Jensen-Tsallis Kernels, Section VI-C.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> image = np.zeros((32, 32, 3), np.uint8)
    >>> image[:, 16:] = 200
    >>> segjt.segment(image).max().item()
    2
    """
    chosen = resolve_parameters(parameters, settings, n_segments=n_segments, rng=rng)
    return segment_image(as_image(image, mask, channel_axis), chosen, progress)[1]


def oversegment(
    image: ArrayLike | Image,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Labels:
    """Cut each block of an image, or the whole of it, into small segments: the stage before merging.

    Takes and returns what `segment` does. Every small segment is 4-connected, unless a mask parts it, which happens
    with ``method="whole"`` only.
    """
    chosen = resolve_parameters(parameters, settings, rng=rng)
    return oversegment_image(as_image(image, mask, channel_axis), chosen, progress)


def merge(
    image: ArrayLike | Image,
    labels: ArrayLike,
    n_segments: int | str | None = None,
    *,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    **settings: Any,
) -> Labels:
    """Merge small segments, of `oversegment` or of any other method: the stage after.

    The result is made of whole small segments: unlike `segment`, it does not move their outlines.

    Parameters
    ----------
    image : array
        The image, as for `segment`.
    labels : (H, W) int array
        The small segments; one that is not 4-connected is split into its parts first. Label 0 marks pixels that are
        masked out.
    n_segments, channel_axis, rng, parameters, **settings
        As for `segment`.

    Returns
    -------
    (H, W) int32 array
        Labels 1..K, compact; 0 where `labels` is 0 or the image is transparent.
    """
    chosen = resolve_parameters(parameters, settings, n_segments=n_segments, rng=rng)
    given = np.asarray(labels)
    if given.dtype.kind not in "ui" or given.ndim != 2 or given.min(initial=0) < 0:
        raise ValueError(
            f"labels have dtype {given.dtype} and shape {given.shape}; "
            "give an (H, W) array of whole numbers from 0, with 0 for masked-out pixels"
        )
    checked = as_image(image, None, channel_axis)
    if given.shape != checked.shape:
        raise ValueError(f"labels have shape {given.shape} and the image {checked.shape}; they must be equal")
    checked = as_image(checked, given > 0)
    return merge_image(checked, connected_parts(compact(np.where(checked.mask, given, 0))), chosen)


def hierarchy(
    image: ArrayLike | Image,
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> MergeTree:
    """Return the nested segmentations of an image: a tree with a map for every number of segments.

    Takes what `segment` does except the number of segments, which is that of a cut: ``hierarchy(image).cut(n)`` is
    ``segment(image, n_segments=n)``. It needs ``method="blocks"`` and ``merge_method="cues"``, the defaults.

    Examples
    --------
    >>> import numpy as np, segjt
    >>> tree = segjt.hierarchy(np.random.default_rng(0).random((40, 40)))
    >>> two, five = tree.cuts([2, 5])
    """
    chosen = resolve_parameters(parameters, settings, rng=rng)
    return hierarchy_image(as_image(image, mask, channel_axis), chosen, progress)


def objects(
    image: ArrayLike | Image,
    min_size: int = SMALLEST,
    max_size: int | None = None,
    polarity: str = "any",
    *,
    mask: ArrayLike | None = None,
    channel_axis: int | None = None,
    rng: int | np.random.Generator | None = None,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Labels:
    """Find many things of a kind in an image: nuclei, cells, coins, particles, fruit, buildings.

    Parameters
    ----------
    image, mask, channel_axis, rng, parameters, progress, **settings
        As for `hierarchy`.
    min_size, max_size : int, optional
        Fewest and most pixels of an object, by default 15 and half of the image; others are left out.
    polarity : "any", "bright" or "dark"
        Whether objects are brighter or darker than what is around them.

    Returns
    -------
    (H, W) int32 array
        0 is background (and where a pixel is masked out), 1..n one object each. ``hierarchy(image).find_objects()``
        also tells how confident each of them is.

    Examples
    --------
    >>> import segjt, skimage.data
    >>> segjt.objects(skimage.data.coins()).max().item()
    24
    """
    chosen = resolve_parameters(parameters, settings, rng=rng)
    tree = hierarchy_image(as_image(image, mask, channel_axis), chosen, progress)
    return tree.objects(min_size, max_size, polarity)


def resolve_parameters(parameters: Parameters | None, settings: dict[str, Any], **direct: Any) -> Parameters:
    """Return the parameters that a call asks for; a preset goes first, then what is given by name."""
    changes = settings | {name: value for name, value in direct.items() if value is not None}
    if "preset" in changes:
        if parameters is not None:
            raise ValueError("give parameters or preset, not both; segjt.Parameters.preset(name) makes the former")
        parameters = Parameters.preset(changes.pop("preset"))
    if isinstance(changes.get("rng"), np.random.Generator):
        changes["rng"] = int(changes["rng"].integers(2**32))
    if parameters is not None and not isinstance(parameters, Parameters):
        raise TypeError(f"parameters = {parameters!r} is not valid; give segjt.Parameters, or fields as arguments")
    return (parameters or Parameters()).replace(**changes)


def segment_image(image: Image, parameters: Parameters, progress: Progress | None = None) -> tuple[Labels, Labels]:
    """Return the small segments of an image, and the segments that they are merged into."""
    if parameters.method == "whole":
        return segment_whole(image, parameters)
    if merge_method(parameters.merge_method).makes_tree:
        tree = hierarchy_image(image, parameters, progress)
        return tree.initial, tree.cut(parameters.n_segments, parameters.find)
    initial = oversegment_blocks(image, parameters, progress)
    return initial, merge_image(image, initial, parameters)


def hierarchy_image(image: Image, parameters: Parameters, progress: Progress | None = None) -> MergeTree:
    """Return the tree of merges of an image."""
    method = hierarchical_method(parameters)
    initial = oversegment_blocks(image, parameters, progress)
    workers = parameters.workers or available_cores()
    return merge_tree(image, initial, method, parameters.bins, parameters.outline_sweeps, workers)


def merge_tree(
    image: Image, labels: Labels, method: MergeMethod, bins: int, outline_sweeps: int = 0, workers: int = 1
) -> MergeTree:
    """Return the tree of small segments by a method that makes one: region graph, merges, tree with its outlines."""
    assert method.merge is not None
    if not labels.any():
        return MergeTree(labels, np.empty((0, 2), np.int64), np.empty(0), 1)
    with one_blas_thread():
        pixels = pixel_levels(image, method.sees, bins)
        first, last = method.merge(region_graph(pixels, labels))
        return build_tree(labels, pixels, first, last, outline_sweeps, workers)


def merge_image(image: Image, labels: Labels, parameters: Parameters) -> Labels:
    """Return small segments merged: stage two by any method."""
    return regroup(labels, SmallSegments(image, labels).groupings(parameters, [parameters.n_segments])[0])


class SmallSegments:
    """The small segments of an image, and what different ways to merge them share, each computed once when needed."""

    def __init__(self, image: Image, labels: Labels) -> None:
        self.image = image
        self.labels = labels
        self.graphs: dict[tuple[str, int], RegionGraph] = {}

    @functools.cached_property
    def tree(self) -> MergeTree:
        """The default tree, which also chooses the number of segments for methods that make no tree."""
        return merge_tree(self.image, self.labels, merge_method(CHOOSES_NUMBER), Parameters().bins)

    def number(self, find: str) -> int:
        """Return the number of segments for methods that make no tree: that of one object unless asked otherwise."""
        if find in ("auto", "object"):
            return self.tree.n_auto
        return int(self.tree.groups("auto", find).max(initial=0)) + 1

    def graph(self, method: MergeMethod, bins: int) -> RegionGraph:
        """Return the region graph as a method sees it."""
        key = (method.sees, bins)
        if key not in self.graphs:
            self.graphs[key] = region_graph(pixel_levels(self.image, method.sees, bins), self.labels)
        return self.graphs[key]

    def groupings(self, parameters: Parameters, numbers: Sequence[int | str]) -> list[Groups]:
        """Return the group, from 0, of each small segment for several numbers of segments, or "auto"."""
        method = merge_method(parameters.merge_method)
        if not self.labels.any():
            return [np.empty(0, np.intp) for _ in numbers]
        if method.makes_tree:
            is_default = method.name == CHOOSES_NUMBER
            tree = self.tree if is_default else merge_tree(self.image, self.labels, method, parameters.bins)
            return [tree.groups(n, parameters.find) for n in numbers]
        assert method.group is not None
        chosen = [self.number(parameters.find) if n == "auto" else int(n) for n in numbers]
        how = MergeSettings(parameters.power, parameters.merge_affinity, parameters.rng)
        with one_blas_thread():
            return method.group(self.graph(method, parameters.bins), chosen, how)


def oversegment_image(image: Image, parameters: Parameters, progress: Progress | None = None) -> Labels:
    """Return the small segments of an image: stage one, or the clusters of the whole-image method."""
    if parameters.method == "whole":
        from segjt.whole_image.method import cut_whole

        with one_blas_thread():
            return cut_whole(image, parameters).initial
    return oversegment_blocks(image, parameters, progress)


def segment_whole(image: Image, parameters: Parameters) -> tuple[Labels, Labels]:
    """Return the clusters and the segments of the whole-image method (paper 001)."""
    from segjt.whole_image.method import cut_whole, merge_whole

    with one_blas_thread():
        cut = cut_whole(image, parameters)
        n = parameters.n_segments
        if n == "auto":
            n = SmallSegments(image, cut.initial).number(parameters.find)
        return cut.initial, merge_whole(cut, int(n))


def hierarchical_method(parameters: Parameters) -> MergeMethod:
    """Return the way to merge if it makes a tree; an error if not."""
    if parameters.method != "blocks":
        raise ValueError(f"method = {parameters.method!r} makes no hierarchy; choose method = 'blocks'")
    method = merge_method(parameters.merge_method)
    if not method.makes_tree:
        raise ValueError(
            f"merge_method = {parameters.merge_method!r} makes no hierarchy; choose merge_method = {CHOOSES_NUMBER!r}"
        )
    return method
