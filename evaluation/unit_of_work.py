"""A unit of work of a benchmark and its result: what is done with one image, and its scores.

Plain data, shared by the modules that plan units, run them, store their results and make the tables.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OURS = "segjt"
# `segjt.objects`, whose maps have a background.
OBJECTS = "segjt objects"
Choices = dict[str, list[Any]]


@dataclass(frozen=True)
class Unit:
    """What is done with an image.

    Attributes
    ----------
    method : str
        "segjt", "segjt objects", or the name of a peer.
    parameters : dict
        Parameters of stage one; empty for objects and peers.
    variants : tuple of dict
        Values of the other parameters: each dict stands for all combinations of its lists.
    """

    method: str
    parameters: dict[str, Any]
    variants: tuple[Choices, ...]

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""
        return json.dumps([self.method, self.parameters, list(self.variants)], sort_keys=True)

    def settings(self) -> list[dict[str, Any]]:
        """Return the parameters of each label map that is scored, in the order of the scores."""
        return [self.parameters | choice for variant in self.variants for choice in combinations(variant)]


@dataclass(frozen=True)
class UnitResult:
    """For every setting its scores and its seconds on one core, and the seconds of the whole unit."""

    scores: list[list[float]]
    seconds: list[float]
    total: float


def combinations(choices: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values, in an order that does not depend on that of the names."""
    names = sorted(choices)
    for values in itertools.product(*(choices[name] for name in names)):
        yield dict(zip(names, values, strict=True))
