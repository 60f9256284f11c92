import threading
import time

import pytest

from segjt.runtime.threads import LONGEST_RUN, RUNS_AHEAD, available_cores, stream_blocks


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order(workers):
    def slow_first(i):
        time.sleep(0.02 if i == 0 else 0)
        return i * i

    assert list(stream_blocks(slow_first, list(range(9)), workers)) == [i * i for i in range(9)]


def test_progress_counts_up_to_the_total():
    seen = []
    list(stream_blocks(str, [1, 2, 3], 2, lambda done, total: seen.append((done, total))))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_error_stops_the_rest():
    ran = []
    lock = threading.Lock()

    def fails_early(i):
        with lock:
            ran.append(i)
        if i == 0:
            raise ValueError("block 0")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="block 0"):
        list(stream_blocks(fails_early, list(range(500)), 2))
    assert len(ran) < 500


def test_only_some_items_are_ahead_of_what_is_taken():
    started = []
    most = 2 * (RUNS_AHEAD + 1) * LONGEST_RUN
    stream = stream_blocks(started.append, list(range(1000)), 2)
    for taken in range(1, 4):
        next(stream)
        time.sleep(0.05)
        assert taken <= len(started) <= taken + most
    stream.close()
    time.sleep(0.05)
    assert len(started) <= 3 + most


def test_nothing_to_do():
    assert list(stream_blocks(str, [], 2)) == []


def test_cores():
    assert available_cores() >= 1
