"""`segjt segment`: the segments of images."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from segjt.cli.images import Task, process_files
from segjt.cli.options import chosen_parameters
from segjt.image import Image
from segjt.merging.registry import merge_method
from segjt.parameters import Parameters
from segjt.pipeline import hierarchy_image, segment_image
from segjt.results import Segmentation, choose_exports
from segjt.runtime.threads import Progress


def segment_files(options: argparse.Namespace) -> int:
    """Segment every image of the command line; return the worst exit code."""
    parameters = chosen_parameters(options)
    exports = choose_exports(options.show_stages, options.hierarchy, options.contours, options.export)
    task = segment_task(parameters, any(export.needs_tree for export in exports), options.hierarchy)
    return process_files(task, exports, options)


def segment_task(parameters: Parameters, needs_tree: bool = False, hierarchy: Sequence[int] = ()) -> Task:
    """Return the task of segmenting an image, whose record also has the numbers of segments of a hierarchy."""

    def segmented(image: Image, progress: Progress | None) -> Segmentation:
        if needs_tree or (parameters.method == "blocks" and merge_method(parameters.merge_method).makes_tree):
            tree = hierarchy_image(image, parameters, progress)
            n = parameters.n_segments
            found = None if n != "auto" else tree.kind if parameters.find == "auto" else parameters.find
            return Segmentation(image, tree.initial, tree.cut(n, found or "object"), tree, found)
        return Segmentation(image, *segment_image(image, parameters, progress))

    def counts(segmentation: Segmentation) -> dict[str, Any]:
        cuts = {str(n): int(segmentation.cut(n).max(initial=0)) for n in hierarchy}
        found = {"found": segmentation.found} if segmentation.found else {}
        number = {"n_segments": int(segmentation.labels.max(initial=0))}
        return found | number | ({"hierarchy": cuts} if cuts else {})

    return Task("segment", "segmented", "segments", "overlay", parameters, segmented, counts)
