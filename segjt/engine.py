"""Where blocks run: on threads of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> list[Result]:
    """Return [function(item) for item in items], computed on `workers` threads.

    Results come in the order of the items, so they do not depend on the number of workers.
    `progress` is called with the number done and the number in all.
    """
    results: list[Result] = []
    pool = ThreadPoolExecutor(min(workers, max(len(items), 1)))
    try:
        for result in pool.map(function, items):
            results.append(result)
            if progress is not None:
                progress(len(results), len(items))
    finally:
        # After an error or Ctrl-C the blocks that have not started are dropped.
        pool.shutdown(cancel_futures=True)
    return results
