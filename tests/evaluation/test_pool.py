import os
import subprocess
import sys
import time
from pathlib import Path

import pool_tasks
from pool_tasks import work

from segjt.evaluation.pool import Failure, outcomes


def test_here_and_on_processes():
    for workers in (1, 2, 3):
        results = dict(outcomes(work, iter([0, 1, 2, 3, 4]), workers))
        assert results == {0: 0, 1: 1, 2: 4, 3: Failure("three is not valid", True), 4: 16}
    assert list(outcomes(work, [], 2)) == []


def test_a_process_that_dies_costs_one_task():
    results = dict(outcomes(work, [5, 1, 5.0 - 1, 2, 6], 2))
    assert results.pop(5) == Failure("the process that worked on it died (exit code -9)", False)
    assert results == {1: 1, 4.0: 16.0, 2: 4, 6: 36}


def test_unexpected_errors_say_what_they_are():
    ((_, failure),) = outcomes(len, [7], 1)
    assert failure == Failure("object of type 'int' has no len()", True)
    ((_, failure),) = outcomes({}.__getitem__, ["key"], 1)
    assert failure == Failure("KeyError: 'key'", False)


def test_workers_end_when_their_parent_is_killed(tmp_path):
    code = f"""
from pool_tasks import sleep_and_tell
from segjt.evaluation.pool import outcomes
if __name__ == "__main__":
    list(outcomes(sleep_and_tell, [{str(tmp_path)!r}] * 2, 2))
"""
    script = tmp_path / "parent.py"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(Path(pool_tasks.__file__).parent)}
    parent = subprocess.Popen([sys.executable, str(script)], env=environment)
    try:
        pids = wait_for(lambda: [int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()], 2)
    finally:
        parent.kill()
        parent.wait()
    for _ in range(200):
        if not any(running(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError(f"of {pids} some still run")


def wait_for(look, count):
    for _ in range(600):
        results = look()
        if len(results) == count:
            return results
        time.sleep(0.1)
    raise AssertionError(f"{len(results)} of {count} after a minute")


def running(pid):
    """Tell whether a process runs; one that has ended may be left as a zombie by its new parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
    except OSError:
        return False
