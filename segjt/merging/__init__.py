"""Stage two: the region graph comes in; its merges, or groups of its regions, come out.

`registry` is the one list of ways to merge: `cues` (default), `ncut` (paper 001), `spectral` (paper 000), and
`register_merge_method` adds to it from outside. `merges` has the tree of merges and the one way to follow it. Knows
the region graph, `spectral`, `fields` and `runtime`; never the trees that are made of its merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from segjt.merging.registry import MergeMethod, register_merge_method, unregister_merge_method

__all__ = ["MergeMethod", "register_merge_method", "unregister_merge_method"]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"registry": ["MergeMethod", "register_merge_method", "unregister_merge_method"]}
)
