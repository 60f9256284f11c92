"""`segjt benchmark speed`: segjt against its plain version and its peers, in one run.

What is timed is listed in `segjt.evaluation.contenders`; tables and the picture are made by
`segjt.evaluation.speed_report`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import segjt
from segjt.datasets.items import Photo
from segjt.evaluation import speed_report
from segjt.evaluation.contenders import GROWING, Comparison, Method, comparisons, contenders
from segjt.io import write_files

# The size at which the speed of segmentation is usually discussed.
SHAPE = (225, 300)
MEGAPIXELS = (0.0675, 0.25, 1.0, 4.0, 16.0)
GROWTH_EXPONENT = "growth: exponent of time from 1 megapixel on"


@dataclasses.dataclass
class Timing:
    """Measurements of one method on one image."""

    name: str
    wall: list[float] = dataclasses.field(default_factory=list)
    cpu: list[float] = dataclasses.field(default_factory=list)
    peak_megabytes: float | None = None

    @property
    def seconds(self) -> float:
        """The median of the wall times."""
        return statistics.median(self.wall)


def run_speed_benchmark(folder: Path, quick: bool, overwrite: bool) -> dict[str, Any]:
    """Run the benchmark, print its tables as they come, and write speed.json and speed.png to the folder."""
    timings = interleaved(contenders(quick), photograph(), 3 if quick else 5)
    if not quick:  # each in a process of its own: half of the time that the benchmark takes
        for name, timing in timings.items():
            timing.peak_megabytes = in_own_process(name, MEGAPIXELS[0]).peak_megabytes
    print(speed_report.timings_text(timings.values()))
    figures = ratios(timings, comparisons(quick))
    print(speed_report.ratios_text(figures))
    growth = {size: in_own_process(GROWING, size) for size in MEGAPIXELS[: 3 if quick else None]}
    exponent = growth_exponent(growth)
    print(speed_report.growth_text(GROWING, growth.values(), exponent))
    if exponent is not None:
        figures[GROWTH_EXPONENT] = exponent
    record = make_record(timings, figures, growth)
    folder.mkdir(parents=True, exist_ok=True)
    text = (json.dumps(record, indent=2) + "\n").encode()
    picture = speed_report.picture(record, GROWING)
    write_files({folder / "speed.json": text, folder / "speed.png": picture}, overwrite)
    print(f"wrote {folder / 'speed.json'} and {folder / 'speed.png'}")
    return record


def photograph(shape: tuple[int, int] = SHAPE) -> Photo:
    """Return scikit-image's coffee cup, resized to a shape."""
    from skimage.data import coffee
    from skimage.transform import resize

    cup = coffee()[:400, 34:568].astype(np.float32)
    resized = resize(cup, shape, anti_aliasing=shape[0] < cup.shape[0])
    # In place: the peak memory of a benchmark shall not be that of its photograph.
    rounded: Photo = np.rint(resized, out=resized).astype(np.uint8)
    return rounded


def interleaved(methods: Mapping[str, Method], image: Photo, repetitions: int) -> dict[str, Timing]:
    """Time the methods in turn, round after round, so that noise of the machine hits all of them alike."""
    timings = {name: Timing(name) for name in methods}
    for method in methods.values():
        method(image[:40, :40])  # compilation and imports are not measured
    for repetition in range(repetitions):
        for name, method in methods.items():
            # Two repetitions are enough for a method that takes long.
            if repetition >= 2 and timings[name].seconds > 5:
                continue
            # One thread of BLAS: with more, the small matrices of the plain version take longer, not less.
            with threadpool_limits(1):
                wall, cpu = time.perf_counter(), time.process_time()
                method(image)
            timings[name].wall.append(time.perf_counter() - wall)
            timings[name].cpu.append(time.process_time() - cpu)
    return timings


def in_own_process(name: str, megapixels: float) -> Timing:
    """Return time and peak memory of a contender in a process of its own."""
    command = [sys.executable, "-m", "segjt.evaluation.speed", name, str(megapixels)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured = json.loads(done.stdout)
    return Timing(f"{megapixels:g} megapixels", [measured["wall"]], [measured["cpu"]], measured["peak_megabytes"])


def measure_one(name: str, megapixels: float) -> None:
    """Print the time and the peak memory of a contender for one image of so many megapixels, as JSON."""
    height = round((megapixels * 1e6 * 0.75) ** 0.5)
    image = photograph((height, round(megapixels * 1e6 / height)))
    method = contenders(quick=False)[name]
    method(image[:40, :40])
    wall, cpu = time.perf_counter(), time.process_time()
    method(image)
    measured = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak_megabytes": peak_megabytes(),
    }
    print(json.dumps(measured))


def peak_megabytes() -> float:
    """Return the peak memory of this process (`getrusage` would include that of its parent)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status does not tell the peak memory (VmHWM); the benchmark needs Linux")


def ratios(timings: Mapping[str, Timing], compared: Iterable[Comparison]) -> dict[str, float]:
    """Return the ratio of seconds of each comparison, by its title."""
    return {pair.title: timings[pair.numerator].seconds / timings[pair.denominator].seconds for pair in compared}


def growth_exponent(growth: Mapping[float, Timing]) -> float | None:
    """Return the exponent of time over megapixels from 1 megapixel on; None if fewer than two such sizes are timed."""
    large = {size: timing.seconds for size, timing in growth.items() if size >= 1}
    return fitted_exponent(list(large), list(large.values())) if len(large) > 1 else None


def fitted_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return b of seconds ~ size^b by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def make_record(
    timings: Mapping[str, Timing], figures: dict[str, float], growth: Mapping[float, Timing]
) -> dict[str, Any]:
    """Return the content of speed.json."""
    return {
        "segjt": segjt.__version__,
        "machine": {"processor": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0))},
        "timings": [dataclasses.asdict(timing) for timing in timings.values()],
        "ratios": figures,
        "growth": [dataclasses.asdict(timing) | {"megapixels": size} for size, timing in growth.items()],
    }


if __name__ == "__main__":
    measure_one(sys.argv[1], float(sys.argv[2]))
