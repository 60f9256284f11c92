"""Times this segjt against another one, in one run: `python -m segjt.evaluation.before_after OTHER_PYTHON`.

OTHER_PYTHON is the interpreter of an environment with the other segjt, such as that of the last release. Both do the
same calls on the same photograph in turns, so that noise of the machine hits both alike; what is printed are the ratios
of the medians. Only public functions are called, so that any two versions can be compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

KERNELS = ("gaussian", "jt2", "expjt2", "nlin", "jt3", "expjt3")
# What each of the two processes does: a call per line, seconds per line.
WORKER = """
import json, sys, time
import numpy as np
import segjt
from skimage.data import coffee
from skimage.transform import resize
from threadpoolctl import threadpool_limits

image = np.rint(resize(coffee()[:400, 34:568].astype(float), (225, 300), anti_aliasing=True)).astype(np.uint8)
for line in sys.stdin:
    function, settings = json.loads(line)
    with threadpool_limits(1):
        start = time.perf_counter()
        getattr(segjt, function)(image, **settings)
        print(time.perf_counter() - start, flush=True)
"""


class Call(NamedTuple):
    """A public function of segjt and its settings."""

    function: str
    settings: dict[str, Any]


def calls() -> Iterator[tuple[str, Call]]:
    """Yield everything that is timed in the two processes, by name."""
    for size in (16, 32):
        for kernel in KERNELS:
            yield f"stage one, {kernel} {size}", Call("oversegment", {"kernel": kernel, "block_size": size})
        yield f"pipeline, expjt2 {size}", Call("segment", {"block_size": size})
    yield "pipeline, defaults", Call("segment", {})
    for method in ("ncut", "spectral"):
        yield f"pipeline, {method} 16", Call("segment", {"block_size": 16, "merge_method": method, "n_segments": 6})


def starts() -> Iterator[tuple[str, list[str]]]:
    """Yield what is timed in a process of its own, by name: arguments of the interpreter."""
    yield "python -c 'import segjt'", ["-c", "import segjt"]
    yield "segjt --help", ["-m", "segjt", "--help"]


def worker(python: str) -> subprocess.Popen[str]:
    """Start the process of one installation."""
    return subprocess.Popen([python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def seconds_of(process: subprocess.Popen[str], call: Call) -> float:
    """Return how long one call takes."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(call) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise OSError(f"{process.args!r}: the process died in {call}; its own messages say why")
    return float(answer)


def seconds_to_start(python: str, arguments: list[str]) -> float:
    """Return how long an interpreter takes for a command."""
    start = time.perf_counter()
    subprocess.run([python, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def compare(other: str, repetitions: int) -> dict[str, tuple[float, float]]:
    """Return the median seconds of the other segjt and of this one, by name."""
    pythons = (other, sys.executable)
    timings: dict[str, tuple[list[float], list[float]]] = {}
    processes = [worker(python) for python in pythons]
    try:
        for name, call in calls():
            for process in processes:
                seconds_of(process, call)  # compiled code and imports are not what is measured
            timings[name] = ([], [])
            for _ in range(repetitions):
                for process, seconds in zip(processes, timings[name], strict=True):
                    seconds.append(seconds_of(process, call))
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    for name, arguments in starts():
        timings[name] = ([], [])
        for _ in range(repetitions):
            for python, seconds in zip(pythons, timings[name], strict=True):
                seconds.append(seconds_to_start(python, arguments))
    return {name: (statistics.median(before), statistics.median(after)) for name, (before, after) in timings.items()}


def table(medians: Mapping[str, tuple[float, float]]) -> str:
    """Return the medians and their ratios as lines of text."""
    lines = [f"{'':30} {'other s':>9} {'this s':>9} {'this / other':>13}"]
    lines += [
        f"{name:30} {before:9.4f} {after:9.4f} {after / before:13.3f}" for name, (before, after) in medians.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time this segjt against another installation, in one run.")
    parser.add_argument("other", metavar="OTHER_PYTHON", help="interpreter of the environment with the other segjt")
    parser.add_argument(
        "--repetitions", type=int, default=15, metavar="N", help="how often each call is timed (default: 15)"
    )
    options = parser.parse_args()
    print(table(compare(options.other, options.repetitions)))


if __name__ == "__main__":
    main()
