"""What a tree keeps of the pixels: sums over small segments and along their edges, which add up for every node.

All sums are of whole numbers: levels of `pixel_levels`, without the gradient, so that those of tiles add up exactly.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from segjt.region_graph.contacts import NOTHING, find_place
from segjt.region_graph.pixel_levels import COLOUR, LOG_GRADIENT, PixelLevels
from segjt.runtime.arrays import Floats, Ints, Labels
from segjt.runtime.compiled import compiled

# Pixels on either side of an edge that its strips have.
STRIP = 3
# Differences between the strips are stored in these parts of a Lab unit.
STEP_UNITS = 16.0


@dataclasses.dataclass(frozen=True, eq=False)
class Evidence:
    """Sums over the pixels of small segments 1..K and along the E edges between them.

    Attributes
    ----------
    units : (C,) float array
        What a level of each channel is worth in Lab units; for other data than colours, in hundredths of their range.
    lightness : (C,) float array
        How much each channel counts for how bright something is.
    colours, squares : (K, C) int arrays
        Sums of the levels, and of their squares.
    ends : (E, 2) int array
        The two segments of each edge, from 0, the smaller first.
    lengths : (E,) int array
        Length of each edge in pixel sides.
    strips : (E, 2, C) int array
        Sums of the levels of the `STRIP` pixels on either side of every pixel side of an edge, the first segment's
        side first.
    steps, roots : (E,) int arrays
        Sums over the pixel sides of how far the means of these strips are apart, and of its root, in parts of a Lab
        unit and of its root.
    """

    units: Floats
    lightness: Floats
    colours: Ints
    squares: Ints
    ends: Ints
    lengths: Ints
    strips: Ints
    steps: Ints
    roots: Ints


def collect_evidence(pixels: PixelLevels, labels: Labels, ends: Ints, lengths: Ints) -> Evidence:
    """Return what a tree of compact labels 1..K keeps of the pixels; the edges are those of their region graph."""
    seen = [channel for channel in pixels.channels if channel != LOG_GRADIENT]
    units = np.array([channel.unit for channel in seen])
    light = np.array([float(channel != COLOUR) for channel in seen])
    K = int(labels.max(initial=0))
    colours, squares = np.zeros((K, len(seen)), np.int64), np.zeros((K, len(seen)), np.int64)
    strips = np.zeros((len(ends), 2, len(seen)), np.int64)
    steps, roots = np.zeros((2, len(ends)), np.int64)
    add_colours(pixels.levels, labels, colours, squares)
    add_edge_strips(pixels.levels, labels, units, edge_table(ends, K), strips, steps, roots)
    return Evidence(units, light / light.sum(), colours, squares, ends, lengths, strips, steps, roots)


def check_evidence(evidence: Evidence, K: int) -> None:
    """Raise a ValueError if the parts of the evidence of K segments do not fit each other."""
    C, E = len(evidence.units), len(evidence.ends)
    shapes = {
        "units": (C,),
        "lightness": (C,),
        "colours": (K, C),
        "squares": (K, C),
        "ends": (E, 2),
        "lengths": (E,),
        "strips": (E, 2, C),
        "steps": (E,),
        "roots": (E,),
    }
    for name, shape in shapes.items():
        array = getattr(evidence, name)
        kind = np.float64 if name in ("units", "lightness") else np.int64
        if array.shape != shape or array.dtype != kind or (kind == np.float64 and not np.isfinite(array).all()):
            raise ValueError(f"its evidence does not fit {K} segments: {name} has shape {array.shape}, {array.dtype}")
    first, second = evidence.ends.T if E else np.empty((2, 0), np.int64)
    if (first < 0).any() or (first >= second).any() or (second >= K).any():
        raise ValueError(f"its evidence has edges that are not between the segments 1 to {K}")


@compiled
def add_colours(levels: NDArray[np.int16], labels: Labels, colours: Ints, squares: Ints) -> None:
    """Add the levels of every pixel, and their squares, to the sums of its segment."""
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            segment = labels[y, x] - 1
            if segment >= 0:
                for c in range(colours.shape[1]):
                    level = np.int64(levels[y, x, c])
                    colours[segment, c] += level
                    squares[segment, c] += level * level


@compiled
def edge_table(ends: Ints, K: int) -> tuple[Ints, Ints]:
    """Return a table by `find_place` of the keys of edges, and which edge is at each place."""
    places = 1024
    while places < 2 * len(ends):
        places *= 2
    keys, edges = np.full(places, NOTHING), np.zeros(places, np.int64)
    for edge in range(len(ends)):
        key = ends[edge, 0] * K + ends[edge, 1]
        place = find_place(keys, key)
        keys[place], edges[place] = key, edge
    return keys, edges


@compiled
def add_edge_strips(
    levels: NDArray[np.int16],
    labels: Labels,
    units: Floats,
    table: tuple[Ints, Ints],
    strips: Ints,
    steps: Ints,
    roots: Ints,
) -> None:
    """Add the strips of every pixel side between two segments to those of their edge.

    They run across the side; beyond the frame the last pixel counts again.
    """
    height, width = labels.shape
    keys, edges = table
    K = np.int64(labels.max())
    first, second = np.zeros(len(units), np.int64), np.zeros(len(units), np.int64)
    for y in range(height):
        for x in range(width):
            for down in range(2):
                if x + 1 - down == width or y + down == height:
                    continue
                one, other = np.int64(labels[y, x]) - 1, np.int64(labels[y + down, x + 1 - down]) - 1
                if one == other or one < 0 or other < 0:
                    continue
                place = find_place(keys, int(min(one, other) * K + max(one, other)))
                if keys[place] == NOTHING:
                    continue
                edge, side = edges[place], 0 if one < other else 1
                square = 0.0
                for c in range(len(units)):
                    first[c] = second[c] = 0
                    for k in range(STRIP):
                        v, u = max(y - down * k, 0), max(x - (1 - down) * k, 0)
                        first[c] += levels[v, u, c]
                        v, u = min(y + down * (k + 1), height - 1), min(x + (1 - down) * (k + 1), width - 1)
                        second[c] += levels[v, u, c]
                    strips[edge, side, c] += first[c]
                    strips[edge, 1 - side, c] += second[c]
                    square += (units[c] * (first[c] - second[c]) / STRIP) ** 2
                step = np.sqrt(square)
                steps[edge] += np.int64(np.rint(STEP_UNITS * step))
                roots[edge] += np.int64(np.rint(STEP_UNITS * np.sqrt(step)))
