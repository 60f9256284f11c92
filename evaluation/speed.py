"""`segjt benchmark speed`: segjt against its plain version and its peers, in one run."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import platform
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
# What grows in the second part.
GROWING = "segjt, expjt2 16"


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

    cup = coffee()[:400, 34:568].astype(np.float32)
    made = resize(cup, shape, anti_aliasing=shape[0] < cup.shape[0])
    # In place: what the peak memory of a benchmark shows is not its photograph.
    rounded: Image = np.rint(made, out=made).astype(np.uint8)
    return rounded


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


def one_block(function: Method, size: int) -> Method:
    """Return what a method does with the block in the middle of the image."""

    def on_block(image: Image) -> Any:
        top, left = ((length - size) // 2 for length in image.shape[:2])
        return function(np.ascontiguousarray(image[top : top + size, left : left + size]))

    return on_block


def spectral_clustering(block: Image) -> Any:
    """Cut a block by scikit-learn's spectral clustering of the same affinity (expjt2)."""
    from sklearn.cluster import SpectralClustering

    W = plain.affinity(block, plain.expjt2)
    return SpectralClustering(8, affinity="precomputed", n_init=4, random_state=0).fit_predict(W)


def methods(quick: bool) -> dict[str, Method]:
    """Return everything that is timed on the small photograph, by name."""
    found: dict[str, Method] = dict(other_tools())
    for size in BLOCK_SIZES[: 1 if quick else None]:
        found[f"one block, expjt2 {size}: scikit-learn SpectralClustering"] = one_block(spectral_clustering, size)
        found[f"one block, expjt2 {size}: segjt"] = one_block(ours("expjt2", size, whole=False), size)
        for kernel in PLAIN_KERNELS:
            found[f"plain stage one, {kernel} {size}"] = functools.partial(
                plain.oversegment, kernel=kernel, block_size=size
            )
        for kernel in (*PLAIN_KERNELS, "jt3", "expjt3"):
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


def in_own_process(name: str, megapixels: float) -> Timing:
    """Return time and peak memory of a method in a process of its own."""
    command = [sys.executable, "-m", "segjt.evaluation.speed", name, str(megapixels)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured = json.loads(done.stdout)
    return Timing(f"{megapixels:g} megapixels", [measured["wall"]], [measured["cpu"]], measured["peak_megabytes"])


def measure_one(name: str, megapixels: float) -> None:
    """Print the time and the peak memory of a method for one image of so many megapixels, as JSON."""
    height = round((megapixels * 1e6 * 0.75) ** 0.5)
    image = photograph((height, round(megapixels * 1e6 / height)))
    method = methods(quick=False)[name]
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
    """Return the most memory that this process has had; what getrusage tells includes that of its parent."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status does not tell the peak memory (VmHWM); the benchmark needs Linux")


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
        block = f"one block, expjt2 {size}"
        found[f"{block}: SpectralClustering / segjt"] = (
            seconds[f"{block}: scikit-learn SpectralClustering"] / seconds[f"{block}: segjt"]
        )
        jt2 = seconds[f"segjt stage one, jt2 {size}"]
        for slower in ("jt3", "jtn (n = 8)", "expjt3"):
            found[f"stage one, {size}: {slower} / jt2"] = seconds[f"segjt stage one, {slower} {size}"] / jt2
        found[f"whole pipeline, expjt2 {size}: segjt / (slic + cut_normalized)"] = (
            seconds[f"segjt, expjt2 {size}"] / seconds["scikit-image slic + cut_normalized"]
        )
    return found


def run(folder: Path, quick: bool, overwrite: bool) -> dict[str, Any]:
    """Run the benchmark, print its tables, and write speed.json and speed.png to the folder."""
    timings = interleaved(methods(quick), photograph(), 3 if quick else 5)
    if not quick:  # a process each: half of the time that the benchmark takes
        for name, timing in timings.items():
            timing.peak_megabytes = in_own_process(name, MEGAPIXELS[0]).peak_megabytes
    print(f"{'method, 300x225 photograph':58} {'seconds':>8} {'CPU':>8} {'peak MB':>8}")
    for timing in timings.values():
        peak = "" if timing.peak_megabytes is None else f"{timing.peak_megabytes:.0f}"
        print(f"{timing.name:58} {timing.seconds:8.4f} {statistics.median(timing.cpu):8.4f} {peak:>8}")
    found = ratios(timings)
    print()
    for name, value in found.items():
        print(f"{name:70} {value:7.2f}")
    sizes = MEGAPIXELS[: 3 if quick else None]
    grown = [in_own_process(GROWING, size) for size in sizes]
    print(f"\n{GROWING}")
    for timing in grown:
        print(f"{timing.name:48} {timing.seconds:8.3f} s {timing.peak_megabytes:8.0f} MB")
    large = [(size, timing.seconds) for size, timing in zip(sizes, grown, strict=True) if size >= 1]
    if len(large) > 1:
        found["growth: exponent of time from 1 megapixel on"] = exponent(*zip(*large, strict=True))
        print(f"exponent of time from 1 megapixel on: {found['growth: exponent of time from 1 megapixel on']:.2f}")
    record = {
        "segjt": segjt.__version__,
        "machine": {"processor": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0))},
        "timings": [dataclasses.asdict(timing) for timing in timings.values()],
        "ratios": found,
        "growth": [
            dataclasses.asdict(timing) | {"megapixels": size} for size, timing in zip(sizes, grown, strict=True)
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = (json.dumps(record, indent=2) + "\n").encode()
    write_files({folder / "speed.json": text, folder / "speed.png": picture(record)}, overwrite)
    print(f"wrote {folder / 'speed.json'} and {folder / 'speed.png'}")
    return record


def picture(record: dict[str, Any]) -> bytes:
    """Return a PNG of a record: seconds of each method, and how time and memory grow."""
    import io

    from matplotlib.figure import Figure

    timings, growth = record["timings"], record["growth"]
    figure = Figure(figsize=(13, 0.28 * len(timings) + 1.5), layout="constrained")
    bars, grown = figure.subplots(1, 2, width_ratios=[2, 1])
    names = [timing["name"] for timing in timings]
    seconds = [statistics.median(timing["wall"]) for timing in timings]
    colours = ["C0" if "segjt" in name else "0.6" if "plain" in name else "C1" for name in names]
    bars.barh(names, seconds, color=colours)
    bars.bar_label(bars.containers[0], [f"{value:.3g}" for value in seconds], padding=3, fontsize=8)
    bars.set(xscale="log", xlabel="seconds", title="300x225 photograph", xlim=(min(seconds) / 2, 3 * max(seconds)))
    bars.invert_yaxis()
    bars.margins(y=0.01)
    bars.tick_params(labelsize=8)
    megapixels = [timing["megapixels"] for timing in growth]
    grown.loglog(megapixels, [timing["wall"][0] for timing in growth], "o-", label="seconds")
    grown.loglog(megapixels, [timing["peak_megabytes"] / 1000 for timing in growth], "s--", label="peak memory, GB")
    grown.set(xlabel="megapixels", title=GROWING)
    grown.legend()
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    return data.getvalue()


if __name__ == "__main__":
    measure_one(sys.argv[1], float(sys.argv[2]))
