"""`segjt benchmark speed`: segjt against its plain version and its peers, in one run."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import segjt
from segjt.evaluation import peers, plain
from segjt.io import write_files

Image = NDArray[np.uint8]
Method = Callable[[Image], Any]

# A photograph of the size that the issue of speed is usually discussed at.
SHAPE = (225, 300)
MEGAPIXELS = (0.0675, 0.25, 1.0, 4.0, 16.0)
BLOCK_SIZES = (16, 32)
PLAIN_KERNELS = ("gaussian", "jt2", "expjt2", "nlin")


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


def photograph(shape: tuple[int, int] = SHAPE) -> Image:
    """Return scikit-image's coffee cup, brought to a shape by whole pixels' means or by interpolation."""
    from skimage.data import coffee
    from skimage.transform import resize

    cup = coffee()[:400, 34:568]
    return np.rint(resize(cup, shape, anti_aliasing=shape[0] < cup.shape[0]) * 255).astype(np.uint8)


def other_tools() -> dict[str, Method]:
    """Return what a user would reach for otherwise, with its usual parameters."""
    return {
        "scikit-image felzenszwalb": peers.felzenszwalb,
        "scikit-image slic": peers.slic,
        "scikit-image slic + cut_normalized": peers.slic_ncut,
        "OpenCV mean shift": peers.mean_shift,
    }


def ours(kernel: str, block_size: int, whole: bool, **settings: Any) -> Method:
    """Return the whole pipeline of segjt, or its first stage."""
    function = segjt.segment if whole else segjt.oversegment
    return functools.partial(function, kernel=kernel, block_size=block_size, **settings)


def methods(quick: bool) -> dict[str, Method]:
    """Return everything that is timed on the small photograph, by name."""
    found: dict[str, Method] = dict(other_tools())
    for size in BLOCK_SIZES[: 1 if quick else None]:
        for kernel in PLAIN_KERNELS:
            found[f"plain stage one, {kernel} {size}"] = functools.partial(
                plain.oversegment, kernel=kernel, block_size=size
            )
        for kernel in (*PLAIN_KERNELS, "jt3"):
            found[f"segjt stage one, {kernel} {size}"] = ours(kernel, size, whole=False)
        found[f"segjt stage one, jtn (n = 8) {size}"] = ours("jtn", size, whole=False, n=8)
        found[f"segjt, expjt2 {size}"] = ours("expjt2", size, whole=True)
    return found


def interleaved(contestants: dict[str, Method], image: Image, repetitions: int) -> dict[str, Timing]:
    """Time every method, one after the other, again and again: noise of the machine hits all of them alike."""
    timings = {name: Timing(name) for name in contestants}
    for method in contestants.values():
        method(image[:40, :40])  # compiled code and imports are not what is measured
    for repetition in range(repetitions):
        for name, method in contestants.items():
            # What takes long is measured well enough by fewer repetitions.
            if repetition >= 2 and timings[name].seconds > 5:
                continue
            # One thread of BLAS: with more, the small matrices of the plain version take longer, not less.
            with threadpool_limits(1):
                wall, cpu = time.perf_counter(), time.process_time()
                method(image)
            timings[name].wall.append(time.perf_counter() - wall)
            timings[name].cpu.append(time.process_time() - cpu)
    return timings


def growth(megapixels: Sequence[float]) -> list[Timing]:
    """Return time and peak memory of the whole pipeline for images of growing size, each in a process of its own."""
    found = []
    for size in megapixels:
        command = [sys.executable, "-m", "segjt.evaluation.speed", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        measured = json.loads(done.stdout)
        found.append(Timing(f"{size:g} megapixels", [measured["wall"]], [measured["cpu"]], measured["peak_megabytes"]))
    return found


def measure_one(size: float) -> None:
    """Print the time and the peak memory of one image of so many megapixels, as JSON."""
    height = round((size * 1e6 * 0.75) ** 0.5)
    image = photograph((height, round(size * 1e6 / height)))
    segjt.segment(image[:40, :40])
    wall, cpu = time.perf_counter(), time.process_time()
    segjt.segment(image)
    measured = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(measured))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return b of seconds ~ size^b by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def ratios(timings: dict[str, Timing]) -> dict[str, float]:
    """Return the figures that matter: how many times faster than what."""
    seconds = {name: timing.seconds for name, timing in timings.items()}
    found = {}
    for size in BLOCK_SIZES:
        if f"segjt, expjt2 {size}" not in seconds:
            continue
        for kernel in PLAIN_KERNELS:
            found[f"stage one, {kernel} {size}: plain / segjt"] = (
                seconds[f"plain stage one, {kernel} {size}"] / seconds[f"segjt stage one, {kernel} {size}"]
            )
        jt2 = seconds[f"segjt stage one, jt2 {size}"]
        found[f"stage one, {size}: jt3 / jt2"] = seconds[f"segjt stage one, jt3 {size}"] / jt2
        found[f"stage one, {size}: jtn (n = 8) / jt2"] = seconds[f"segjt stage one, jtn (n = 8) {size}"] / jt2
        found[f"whole pipeline, expjt2 {size}: segjt / (slic + cut_normalized)"] = (
            seconds[f"segjt, expjt2 {size}"] / seconds["scikit-image slic + cut_normalized"]
        )
    return found


def run(folder: Path, quick: bool, overwrite: bool) -> dict[str, Any]:
    """Run the benchmark, print its tables, and write speed.json to the folder."""
    timings = interleaved(methods(quick), photograph(), 3 if quick else 5)
    print(f"{'method, 300x225 photograph':48} {'seconds':>8} {'CPU':>8}")
    for timing in timings.values():
        print(f"{timing.name:48} {timing.seconds:8.3f} {statistics.median(timing.cpu):8.3f}")
    found = ratios(timings)
    print()
    for name, value in found.items():
        print(f"{name:70} {value:7.2f}")
    sizes = MEGAPIXELS[: 3 if quick else None]
    grown = growth(sizes)
    print()
    for timing in grown:
        print(f"{timing.name:48} {timing.seconds:8.3f} s {timing.peak_megabytes:8.0f} MB")
    large = [(size, timing.seconds) for size, timing in zip(sizes, grown, strict=True) if size >= 1]
    if len(large) > 1:
        found["growth: exponent of time from 1 megapixel on"] = exponent(*zip(*large, strict=True))
        print(f"exponent of time from 1 megapixel on: {found['growth: exponent of time from 1 megapixel on']:.2f}")
    record = {
        "segjt": segjt.__version__,
        "machine": {"processor": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0))},
        "timings": [dataclasses.asdict(timing) for timing in (*timings.values(), *grown)],
        "ratios": found,
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_files({folder / "speed.json": (json.dumps(record, indent=2) + "\n").encode()}, overwrite)
    print(f"wrote {folder / 'speed.json'}")
    return record


if __name__ == "__main__":
    measure_one(float(sys.argv[1]))
