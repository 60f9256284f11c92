"""`segjt batch`: a whole folder, gone on with after an interruption, with a summary.

An image is finished when its record is there and fits: the same image (by its hash), parameters and version of segjt.
The record is the last file of an image to be put in place. Images come one after another, each on all workers, so that
no more than one is ever lost, and memory is that of one image.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import segjt
from segjt.cli.main import chosen_parameters, explain, report, worst
from segjt.cli.segment import Results, is_result, segment_file, success
from segjt.io import FORMATS, read_file
from segjt.parameters import Parameters

SUMMARY = ("batch.csv", "batch.html")
# What `segjt.io.write_files` leaves behind when it is killed.
LEFTOVER = re.compile(r"\.(.+)\.\d+\.part", re.DOTALL)


@dataclass(frozen=True)
class Job:
    """An image of the folder, by its path from there, and where its results go."""

    image: Path
    name: str
    results: Results

    @property
    def record_path(self) -> Path:
        """Path of the record."""
        return self.results.path("segments", ".json")


@dataclass(frozen=True)
class Outcome:
    """What became of an image: a record, or an error with its exit code."""

    job: Job
    record: dict[str, Any] | None = None
    error: str = ""
    code: int = 0
    new: bool = False


def segment_folder(options: argparse.Namespace) -> int:
    """Segment the images of a folder that are not finished, write the summary, return the worst exit code."""
    from segjt.cli.batch_summary import write_summary

    parameters = chosen_parameters(options)
    folder, output = Path(options.folder), Path(options.output)
    jobs = find_jobs(folder, output, options.recursive)
    output.mkdir(parents=True, exist_ok=True)
    with locked(output):
        remove_leftovers(output, jobs)
        if not options.overwrite:
            check_parameters(jobs, parameters, output)
        outcomes = run_jobs(jobs, parameters, options)
        write_summary(folder, output, parameters, outcomes, options)
    failed = sum(not outcome.record for outcome in outcomes)
    new = sum(outcome.new for outcome in outcomes)
    text = f"{len(jobs)} images: {new} segmented, {len(jobs) - new - failed} finished before, {failed} failed"
    if failed:
        print(f"segjt: {text}; see {output / SUMMARY[1]}", file=sys.stderr)
    elif not options.quiet:
        print(f"{text} -> {output / SUMMARY[1]}")
    return worst([outcome.code for outcome in outcomes])


def find_jobs(folder: Path, output: Path, recursive: bool) -> list[Job]:
    """Return the images of a folder, sorted by path; files in the output folder and other results of segjt are none."""
    if not folder.exists():
        raise FileNotFoundError(f"{folder}: no such folder")
    if not folder.is_dir():
        raise ValueError(f"{folder}: is no folder; for single files use segjt segment")
    inside = output.resolve()
    if folder.resolve().is_relative_to(inside):
        raise ValueError(
            f"{output}: is the folder of the images or contains it, so that results and images would mix; "
            f"use -o with another folder, for instance {folder / 'segments'}"
        )
    images = [path for path in files_of(folder, recursive) if not path.resolve().is_relative_to(inside)]
    found = [path for path in images if not is_result(path)]
    if len(found) < len(images):
        print(f"segjt: {folder}: {len(images) - len(found)} results of segjt are left out", file=sys.stderr)
    if not found:
        deeper = "" if recursive or not any(files_of(folder, True)) else "; with --recursive there are some"
        raise ValueError(f"{folder}: has no images ({FORMATS}){deeper}")
    by_folder = defaultdict(list)
    for path in found:
        by_folder[path.parent].append(path.name)
    names = {parent: result_names(files) for parent, files in by_folder.items()}
    return [
        Job(path, str(path.relative_to(folder)), results_of(path, folder, output, names[path.parent][path.name]))
        for path in found
    ]


def files_of(folder: Path, recursive: bool) -> Iterator[Path]:
    """Yield the image files of a folder by name, then those of the folders in it; hidden ones are left out."""
    from segjt.datasets.items import is_image

    entries = sorted(os.scandir(folder), key=lambda entry: (entry.name.casefold(), entry.name))
    yield from (folder / entry.name for entry in entries if is_image(entry.name) and not entry.is_dir())
    for entry in entries:
        if recursive and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from files_of(folder / entry.name, recursive)


def result_names(files: list[str]) -> dict[str, str]:
    """Return what the results of each file of a folder begin with: a for a.png, but a.png where there is a.jpg, too."""
    stems = Counter(Path(file).stem.casefold() for file in files)
    whole = {file.casefold() for file in files}
    return {
        file: file if stems[stem.casefold()] > 1 or stem.casefold() in whole else stem
        for file, stem in ((file, Path(file).stem) for file in files)
    }


def results_of(path: Path, folder: Path, output: Path, name: str) -> Results:
    """Return where the results of an image go: folders inside the folder are kept."""
    return Results(output / path.parent.relative_to(folder), name)


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Hold a folder, so that no other batch writes to it at the same time; the system lets go of it after any end."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        yield
        return
    handle = os.open(output, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"{output}: another segjt batch is at work there; wait for it, or use -o otherwise") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)


def remove_leftovers(output: Path, jobs: list[Job]) -> None:
    """Remove what a killed call has left: files in the making, and all results of an image that was being written."""
    owners = {path: job for job in jobs for path in job.results.possible()}
    summary = [output / name for name in SUMMARY]
    for folder in {output, *(job.results.folder for job in jobs)}:
        for entry in os.scandir(folder) if folder.is_dir() else ():
            found = LEFTOVER.fullmatch(entry.name)
            target = folder / found[1] if found else None
            if target in owners:
                # The record first and this file last: if we are killed here, too, the rest is still known as left over.
                job = owners[target]
                for path in [job.record_path, *job.results.possible()]:
                    path.unlink(missing_ok=True)
            if target in owners or target in summary:
                os.unlink(entry.path)


def read_record(job: Job) -> dict[str, Any] | None:
    """Return the record of an image, None if there is none or if it is something else."""
    try:
        record: dict[str, Any] = json.loads(job.record_path.read_text(encoding="utf-8"))
        kinds = {"segjt": str, "parameters": dict, "image": dict, "files": list}
        return record if all(isinstance(record[name], kind) for name, kind in kinds.items()) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def difference(record: dict[str, Any], parameters: Parameters) -> str:
    """Return in which way a record is of another call, "" if in none; the number of workers does not matter."""
    if record["segjt"] != segjt.__version__:
        return f"segjt {record['segjt']}, now {segjt.__version__}"
    before, now = record["parameters"], parameters.to_dict()
    for name in sorted((before.keys() | now.keys()) - {"workers"}):
        if before.get(name) != now.get(name):
            return f"{name} = {before.get(name)}, now {now.get(name)}"
    return ""


def check_parameters(jobs: list[Job], parameters: Parameters, output: Path) -> None:
    """Raise an error, before any work, if results are there that were made otherwise."""
    records = [(job.name, record) for job in jobs if (record := read_record(job)) is not None]
    other = [(name, text) for name, record in records if (text := difference(record, parameters))]
    if other:
        name, text = other[0]
        raise FileExistsError(
            f"{output}: the results of {len(other)} of {len(jobs)} images were made with other parameters "
            f"({name}: {text}); use --overwrite to make them anew, or -o with another folder"
        )


def run_jobs(jobs: list[Job], parameters: Parameters, options: argparse.Namespace) -> list[Outcome]:
    """Do what is to be done, with a bar on stderr if that is a terminal."""
    from tqdm import tqdm

    outcomes: list[Outcome] = []
    with tqdm(jobs, unit="image", disable=options.quiet or not sys.stderr.isatty()) as bar:
        try:
            for job in bar:
                outcomes.append(run_job(job, parameters, options))
        except KeyboardInterrupt:
            with tqdm.external_write_mode():
                done = f"{len(outcomes)} of {len(jobs)} images done"
                print(f"segjt: {done}; the same call again goes on from there", file=sys.stderr)
            raise
    return outcomes


def run_job(job: Job, parameters: Parameters, options: argparse.Namespace) -> Outcome:
    """Segment an image, unless it is finished; print what became of it."""
    from tqdm import tqdm

    try:
        record = read_record(job)
        if record is not None and is_finished(job, record, parameters, options.page):
            return Outcome(job, record)
        if record is not None and not options.overwrite:
            raise FileExistsError(
                f"{job.image}: {job.record_path} is of another image of that name, or files of it are missing; "
                "use --overwrite to make it anew"
            )
        job.results.check({}, options.overwrite)
        record = segment_file(job.image, job.results, parameters, options)
    except Exception as error:
        with tqdm.external_write_mode():
            return Outcome(job, error=explain(error, str(job.image)), code=report(error, str(job.image)))
    if not options.quiet:
        with tqdm.external_write_mode():
            print(success(job.image, record, job.results), flush=True)
    return Outcome(job, record, new=True)


def is_finished(job: Job, record: dict[str, Any], parameters: Parameters, page: int | None) -> bool:
    """Tell whether the results of an image are all there and what this call would make."""
    return (
        not difference(record, parameters)
        and record["image"].get("page") == page
        and all((job.results.folder / name).is_file() for name in record["files"])
        and record["image"].get("sha256") == hashlib.sha256(read_file(job.image)).hexdigest()
    )
