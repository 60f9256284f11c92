"""The version of the code that decides a result: results of other code are not reused.

It is the version of segjt with a hash of the sources that a method runs (`segjt.evaluation.sources`; comments and
layout do not count) and of the versions of the libraries they import. Results that a change does not touch, such as
those of the peers after a change to our kernels, stay valid.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from collections.abc import Mapping

import segjt
from segjt.evaluation.learning.registry import EXPERIMENTS
from segjt.evaluation.sources import Source, sources_of
from segjt.evaluation.unit_of_work import OBJECTS, OURS

LEARNING = "learning"
STABILITY = "stability"
# What reads the images and their truth, for us and for the peers.
READERS = "segjt.datasets"


@functools.cache
def code_version(method: str) -> str:
    """Return the version of the code that decides the results of a method.

    Parameters
    ----------
    method : str
        Whose code it is: "segjt", "segjt objects", a peer's name, "learning 000" for the experiments of paper 000, or
        "stability segjt" for maps of changed pictures.
    """
    sources = sources_of_method(method)
    total = hashlib.sha256()
    for module, source in sources.items():
        total.update(f"{module} {source.digest}\n".encode())
    for library in sorted({library for source in sources.values() for library in source.libraries}):
        total.update(f"{library} {library_version(library)}\n".encode())
    return f"{segjt.__version__}+{total.hexdigest()[:12]}"


def sources_of_method(method: str) -> dict[str, Source]:
    """Return the sources, by module name, that decide the results of a method: see `code_version`."""
    name, _, rest = method.partition(" ")
    if name == LEARNING:
        return sources_of(modules_of_paper(rest))
    if name == STABILITY:
        maker = "segjt.pipeline" if rest == OURS else "segjt.evaluation.peers"
        return sources_of(["segjt.evaluation.changes", maker, READERS])
    if method in (OURS, OBJECTS):
        return sources_of(["segjt.evaluation.units", READERS])
    return sources_of(["segjt.evaluation.peers", READERS])


def modules_of_paper(paper: str) -> list[str]:
    """Return the modules of the experiments of a paper, "000" to "004"."""
    modules = {place.partition(".")[0] for places in EXPERIMENTS.values() for place in places}
    return sorted(f"segjt.evaluation.learning.{module}" for module in modules if module.startswith(f"paper{paper}"))


def library_version(name: str) -> str:
    """Return the version of a library by the name it is imported by; nothing if it is not installed."""
    return " ".join(importlib.metadata.version(distribution) for distribution in sorted(set(installed().get(name, []))))


@functools.cache
def installed() -> Mapping[str, list[str]]:
    """Return the distributions that each library can be imported from: opencv-python or -headless for cv2."""
    return importlib.metadata.packages_distributions()
