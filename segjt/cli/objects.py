"""`segjt objects`: many things of a kind in images."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from segjt.cli.images import Task, process_files
from segjt.cli.options import chosen_object_options, chosen_parameters
from segjt.image import Image
from segjt.pipeline import hierarchical_method, hierarchy_image
from segjt.results import OBJECT_EXPORTS, Segmentation, rounded
from segjt.runtime.threads import Progress


def find_in_files(options: argparse.Namespace) -> int:
    """Find the objects in every image of the command line; return the worst exit code."""
    parameters = chosen_parameters(options)
    hierarchical_method(parameters)  # wrong parameters are wrong for all images
    wanted = dataclasses.asdict(chosen_object_options(options))

    def found(image: Image, progress: Progress | None) -> Segmentation:
        tree = hierarchy_image(image, parameters, progress)
        objects = tree.find_objects(**wanted)
        return Segmentation(image, tree.initial, objects.labels, tree, confidences=objects.confidences)

    def entries(segmentation: Segmentation) -> dict[str, Any]:
        confidences = segmentation.required_confidences()
        return {"options": wanted, "n_objects": len(confidences), "confidences": rounded(confidences)}

    task = Task("objects", "searched", "objects", "objects_overlay", parameters, found, entries)
    return process_files(task, OBJECT_EXPORTS, options)
