"""The distinct 8-bit colours of rows."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.kernels.evaluators.level_tables import TOP, levels
from segjt.kernels.evaluators.shared import DistinctRows, of_each
from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled

CHANNELS = 3
# An odd number near 2^32 divided by the golden ratio spreads codes that are near each other (Knuth).
MULTIPLIER = 2654435769


@dataclasses.dataclass(frozen=True, eq=False)
class Colours:
    """The distinct 8-bit colours of X, Z and Y; one object where X, Z and Y are one array."""

    x: DistinctRows[Indices]
    z: DistinctRows[Indices]
    y: DistinctRows[Indices]


def colours_of(X: Floats, Z: Floats, Y: Floats) -> Colours | None:
    """Return the colours of rows, or None if these are not 8-bit levels l / 255 of up to three channels."""
    if X.shape[1] > CHANNELS:
        return None
    with_levels = [rows for rows in of_each(lambda rows: levels(rows, TOP), X, Z, Y) if rows is not None]
    return Colours(*of_each(distinct_colours, *with_levels)) if len(with_levels) == 3 else None


def distinct_colours(rows: Indices) -> DistinctRows[Indices]:
    """Return the distinct rows of levels in three channels.

    Channels that are missing get level 0, which changes nothing: k is 0 there.
    """
    padded = np.zeros((len(rows), CHANNELS), np.intp)
    padded[:, : rows.shape[1]] = rows
    first, inverse, counts = group_colours(padded)
    return DistinctRows(padded[first], inverse, counts)


@compiled
def group_colours(rows: Indices) -> tuple[Indices, Indices, Indices]:
    """Return where each distinct row is first, which of the distinct rows each row is, and how often each occurs.

    A table of twice as many slots as rows, or more; a row whose slot is taken by another goes to the next free one.
    """
    slots = 2
    while slots < 2 * len(rows):
        slots *= 2
    table = np.full(slots, -1)
    first, inverse, counts = np.empty(len(rows), np.intp), np.empty(len(rows), np.intp), np.zeros(len(rows), np.intp)
    distinct = 0
    for i in range(len(rows)):
        code = (rows[i, 0] * (TOP + 1) + rows[i, 1]) * (TOP + 1) + rows[i, 2]
        slot = (code * MULTIPLIER >> 16) & (slots - 1)
        while table[slot] >= 0 and not (rows[first[table[slot]]] == rows[i]).all():
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = distinct
            first[distinct] = i
            distinct += 1
        inverse[i] = table[slot]
        counts[table[slot]] += 1
    return first[:distinct], inverse, counts[:distinct]
