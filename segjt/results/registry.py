"""The one list of exports: the files that can be made of a segmented image.

A new export is one `Export`: built in, below, or from outside with `register_export`. `segjt segment --export NAME`
writes it. `segjt objects` has exports of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segjt.fields import Field
from segjt.image import Image
from segjt.io import LABEL_SUFFIXES, encode_labels, encode_png, label_suffix
from segjt.results.overlay import object_overlay, overlay
from segjt.results.region_table import encode_object_table
from segjt.results.segmentation import Segmentation
from segjt.runtime.arrays import Labels

# IMAGE_segments.json and IMAGE_objects.json are records that list files; the others are results of `segjt objects`.
RESERVED = ("segments", "objects", "objects_overlay")

# Draws a label map over an image.
Draw = Callable[[Image, Labels], NDArray[np.uint8]]


@dataclass(frozen=True)
class Export:
    """A kind of file that can be made of a segmentation.

    Attributes
    ----------
    name : str
        Letters and underscores. The file of photo.png is photo_NAME with a suffix.
    suffixes : tuple of str
        The suffixes that the file can have.
    doc : str
        One line that says what the file holds.
    encode : callable
        Takes a `Segmentation`, returns the content of the file.
    choose_suffix : callable, optional
        Takes a `Segmentation`, returns which of the suffixes the file gets; without it, the first.
    needs_tree : bool
        Whether `Segmentation.tree` must be there.

    Examples
    --------
    >>> export = Export("count", (".txt",), "number of segments", lambda seg: str(seg.labels.max()).encode())
    """

    name: str
    suffixes: tuple[str, ...]
    doc: str
    encode: Callable[[Segmentation], bytes]
    choose_suffix: Callable[[Segmentation], str] | None = None
    needs_tree: bool = False

    def suffix(self, segmentation: Segmentation) -> str:
        """Return the suffix of the file that `encode` makes."""
        return self.suffixes[0] if self.choose_suffix is None else self.choose_suffix(segmentation)


def register_export(export: Export) -> Export:
    """Make an export known by its name, which must be new.

    Parameters
    ----------
    export : Export
        What `segjt segment --export NAME` writes from now on.

    Returns
    -------
    Export
        The export itself.

    Examples
    --------
    >>> from segjt.results import Export, find_export, register_export, unregister_export
    >>> def encode(segmentation):
    ...     return str(segmentation.labels.max()).encode()
    >>> export = register_export(Export("count", (".txt",), "number of segments", encode))
    >>> find_export("count") is export
    True
    >>> unregister_export("count")
    """
    if not re.fullmatch("[a-z]+(_[a-z]+)*", export.name) or export.name in RESERVED:
        raise ValueError(
            f"export {export.name!r}: is not a name for an export; "
            f"give lower-case words joined by underscores, other than {', '.join(RESERVED)}"
        )
    if export.name in EXPORTS:
        raise ValueError(f"export {export.name!r}: exists already; give it another name")
    if not export.suffixes or not all(suffix.startswith(".") for suffix in export.suffixes):
        raise ValueError(
            f"export {export.name!r}: suffixes = {export.suffixes!r} is not valid; give one such as ('.png',)"
        )
    EXPORTS[export.name] = export
    return export


def unregister_export(name: str) -> None:
    """Forget an export; an unknown name is a ValueError that lists the choices."""
    find_export(name)
    del EXPORTS[name]


def export_names() -> list[str]:
    """Return the names of all exports."""
    return list(EXPORTS)


def find_export(name: str) -> Export:
    """Return the export with this name; an unknown name is a ValueError that lists the choices."""
    Field("name of the export", str, words=export_names).check("export", name)
    return EXPORTS[name]


def choose_exports(
    stages: bool = False, cuts: Sequence[int] = (), contours: bool = False, names: Iterable[str] = ()
) -> list[Export]:
    """Return the exports of one image, label maps first; labels and overlay are always among them.

    Parameters
    ----------
    stages : bool
        Whether to add the initial segments.
    cuts : sequence of int
        Numbers of segments whose maps to add.
    contours : bool
        Whether to add the picture of the boundaries.
    names : iterable of str
        Names of further exports.
    """
    chosen = [
        *(EXPORTS[name] for name in (("labels", "initial") if stages else ("labels",))),
        *(cut_labels(n) for n in cuts),
        *(EXPORTS[name] for name in (("overlay", "initial_overlay") if stages else ("overlay",))),
        *(cut_overlay(n) for n in cuts),
        *([EXPORTS["contours"]] if contours else []),
        *(find_export(name) for name in names),
    ]
    return list({export.name: export for export in chosen}.values())


def label_map_export(name: str, doc: str, select: Callable[[Segmentation], Labels], needs_tree: bool = False) -> Export:
    """Return the export of one label map of a segmentation."""
    return Export(
        name,
        LABEL_SUFFIXES,
        doc,
        lambda segmentation: encode_labels(select(segmentation)),
        lambda segmentation: label_suffix(select(segmentation)),
        needs_tree,
    )


def picture_export(
    name: str, doc: str, select: Callable[[Segmentation], Labels], needs_tree: bool = False, draw: Draw = overlay
) -> Export:
    """Return the export of one label map of a segmentation, drawn over the image."""
    return Export(
        name,
        (".png",),
        doc,
        lambda segmentation: encode_png(draw(segmentation.image, select(segmentation))),
        needs_tree=needs_tree,
    )


def cut_labels(n: int) -> Export:
    """Return the export of the map of n segments."""
    return label_map_export(f"labels_{n}", f"label map of {n} segments", lambda segmentation: segmentation.cut(n), True)


def cut_overlay(n: int) -> Export:
    """Return the export of the map of n segments, drawn over the image."""
    return picture_export(
        f"overlay_{n}", f"{n} segments over the image", lambda segmentation: segmentation.cut(n), True
    )


def encode_contours(segmentation: Segmentation) -> bytes:
    """Return the ultrametric contour map as an 8-bit PNG file."""
    return encode_png(np.rint(255 * segmentation.required_tree().contours()).astype(np.uint8))


BUILT_IN = (
    label_map_export("labels", "label map of the segments", lambda segmentation: segmentation.labels),
    picture_export("overlay", "segments over the image", lambda segmentation: segmentation.labels),
    label_map_export("initial", "label map of the segments before merging", lambda segmentation: segmentation.initial),
    picture_export(
        "initial_overlay", "segments before merging over the image", lambda segmentation: segmentation.initial
    ),
    Export("contours", (".png",), "strength of the boundaries", encode_contours, needs_tree=True),
)
OBJECT_EXPORTS = (
    label_map_export("objects", "label map of the objects", lambda segmentation: segmentation.labels),
    picture_export(
        "objects_overlay", "objects over the image", lambda segmentation: segmentation.labels, draw=object_overlay
    ),
    Export("objects", (".csv",), "table of the objects", encode_object_table),
)
EXPORTS = {export.name: export for export in BUILT_IN}
