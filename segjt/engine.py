"""Where blocks run: on threads of this machine."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]

# Enough for a worker never to wait while another is busy with a slow item.
ITEMS_AHEAD = 32


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> list[Result]:
    """Return [function(item) for item in items], computed on `workers` threads; see `stream_blocks`."""
    return list(stream_blocks(function, items, workers, progress))


def stream_blocks(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield function(item) for each item, computed on `workers` threads.

    Results come in the order of the items, so they do not depend on the number of workers. No more than
    `ITEMS_AHEAD` items a worker are in work or done but not yet taken, however many there are in all.
    `progress` is called with the number done and the number in all.
    """
    pool = ThreadPoolExecutor(min(workers, max(len(items), 1)))
    left = iter(items)
    try:
        waiting = deque(pool.submit(function, item) for item in itertools.islice(left, ITEMS_AHEAD * workers))
        for done in range(1, len(items) + 1):
            result = waiting.popleft().result()
            waiting.extend(pool.submit(function, item) for item in itertools.islice(left, 1))
            if progress is not None:
                progress(done, len(items))
            yield result
    finally:
        # After an error or Ctrl-C the blocks that have not started are dropped.
        pool.shutdown(cancel_futures=True)
