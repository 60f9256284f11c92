"""Tasks for `test_pool`, in a module that its processes can import."""

import os
import signal
import time
from pathlib import Path


def work(number):
    if number == 3:
        raise ValueError("three is\nnot valid")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def sleep_and_tell(folder):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)
