"""Blocks on the threads of this machine: one level of parallelism, results in the order of the blocks."""

from __future__ import annotations

import functools
import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]

# Items are handed to a worker in runs, since handing over takes as long as part of a small block. They are short
# where there are few items, so that no worker waits long for the last.
LONGEST_RUN = 8
RUNS_PER_WORKER = 16
# Enough for a worker never to wait while another is busy with slow items.
RUNS_AHEAD = 4


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS has one thread: one level of parallelism is enough."""
    context: AbstractContextManager[Any] = blas().limit(limits=1)
    return context


@functools.cache
def blas() -> ThreadpoolController:
    """Return the controller of the libraries with threads, made once: looking for them takes milliseconds."""
    import scipy.linalg  # noqa: F401 - compiled code calls its BLAS

    return ThreadpoolController()


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def stream_blocks(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield function(item) for each item, computed on `workers` threads.

    Results come in the order of the items, so they do not depend on the number of workers. However many items there
    are, only a few runs of them are in progress or done but not yet taken. `progress` is called with the number done
    and the number in all.
    """
    pool = ThreadPoolExecutor(min(workers, max(len(items), 1)))
    length = min(max(len(items) // (RUNS_PER_WORKER * workers), 1), LONGEST_RUN)
    left = (items[start : start + length] for start in range(0, len(items), length))

    def one_by_one(run: Sequence[Item]) -> list[Result]:
        return [function(item) for item in run]

    try:
        waiting = deque(pool.submit(one_by_one, run) for run in itertools.islice(left, RUNS_AHEAD * workers))
        done = 0
        while waiting:
            results = waiting.popleft().result()
            waiting.extend(pool.submit(one_by_one, run) for run in itertools.islice(left, 1))
            for result in results:
                done += 1
                if progress is not None:
                    progress(done, len(items))
                yield result
    finally:
        # After an error or Ctrl-C the runs that have not started are dropped.
        pool.shutdown(cancel_futures=True)
