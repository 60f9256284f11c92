"""`segjt batch`: segment a whole folder, with a summary; an interrupted batch is resumed.

An image is finished when its record exists and matches: the same image (by its hash), parameters and version of segjt.
The record is the last file of an image to be put in place. Images come one after another, each on all workers, so that
no more than one is ever lost, and memory is that of one image.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import segjt
from segjt.cli.batch_jobs import SUMMARY, Job, JobResult, find_jobs
from segjt.cli.batch_summary import write_summary
from segjt.cli.errors import explain, print_error, worst
from segjt.cli.images import process_file, success
from segjt.cli.options import chosen_parameters
from segjt.cli.segment import segment_task
from segjt.io import intended_name, read_file
from segjt.parameters import Parameters


def segment_folder(options: argparse.Namespace) -> int:
    """Segment the images of a folder that are not finished, write the summary, return the worst exit code."""
    parameters = chosen_parameters(options)
    folder, output = Path(options.folder), Path(options.output)
    jobs = find_jobs(folder, output, options.recursive)
    output.mkdir(parents=True, exist_ok=True)
    with locked(output):
        remove_leftovers(output, jobs)
        if not options.overwrite:
            check_parameters(jobs, parameters, output)
        results = run_jobs(jobs, parameters, options)
        write_summary(folder, output, parameters, results, options)
    failed = sum(not result.record for result in results)
    new = sum(result.new for result in results)
    text = f"{len(jobs)} images: {new} segmented, {len(jobs) - new - failed} finished before, {failed} failed"
    if failed:
        print(f"segjt: {text}; see {output / SUMMARY[1]}", file=sys.stderr)
    elif not options.quiet:
        print(f"{text} -> {output / SUMMARY[1]}")
    return worst([result.code for result in results])


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Lock a folder, so that no other batch writes to it; the system releases the lock however the process ends."""
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
            raise OSError(
                f"{output}: another segjt batch is writing there; wait for it, or use -o with another folder"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)


def remove_leftovers(output: Path, jobs: list[Job]) -> None:
    """Remove what a killed batch left behind: temporary files, and all results of the image that was being written."""
    owners = {path: job for job in jobs for path in job.files.possible()}
    summary = {output / name for name in SUMMARY}
    for folder in {output, *(job.files.folder for job in jobs)}:
        for leftover, target in temporary_files(folder):
            if target in owners:
                # The record first and this file last: if we are killed here as well, the rest is still recognized.
                files = owners[target].files
                for path in [files.record, *files.possible()]:
                    path.unlink(missing_ok=True)
            if target in owners or target in summary:
                leftover.unlink()


def temporary_files(folder: Path) -> list[tuple[Path, Path]]:
    """Return the temporary files of a folder, each with the file it was meant to become."""
    entries = os.listdir(folder) if folder.is_dir() else []
    return [(folder / entry, folder / name) for entry in entries if (name := intended_name(entry))]


def read_record(job: Job) -> dict[str, Any] | None:
    """Return the record of an image; None if there is no such file or it is not a record."""
    try:
        record: dict[str, Any] = json.loads(job.files.record.read_text(encoding="utf-8"))
        kinds = {"segjt": str, "parameters": dict, "image": dict, "files": list}
        return record if all(isinstance(record[name], kind) for name, kind in kinds.items()) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def difference(record: dict[str, Any], parameters: Parameters) -> str:
    """Return how the settings of a record differ from those of this call, "" if they do not; workers do not matter."""
    if record["segjt"] != segjt.__version__:
        return f"segjt {record['segjt']}, now {segjt.__version__}"
    before, now = record["parameters"], parameters.to_dict()
    for name in sorted((before.keys() | now.keys()) - {"workers"}):
        if before.get(name) != now.get(name):
            return f"{name} = {before.get(name)}, now {now.get(name)}"
    return ""


def check_parameters(jobs: list[Job], parameters: Parameters, output: Path) -> None:
    """Raise an error, before any work, if there are results that were made with other settings."""
    records = [(job.name, record) for job in jobs if (record := read_record(job)) is not None]
    other = [(name, text) for name, record in records if (text := difference(record, parameters))]
    if other:
        name, text = other[0]
        raise FileExistsError(
            f"{output}: the results of {len(other)} of {len(jobs)} images were made with other parameters "
            f"({name}: {text}); use --overwrite to recompute them, or -o with another folder"
        )


def run_jobs(jobs: list[Job], parameters: Parameters, options: argparse.Namespace) -> list[JobResult]:
    """Run all jobs, with a progress bar on stderr if that is a terminal."""
    from tqdm import tqdm

    results: list[JobResult] = []
    with tqdm(jobs, unit="image", disable=options.quiet or not sys.stderr.isatty()) as bar:
        try:
            for job in bar:
                results.append(run_job(job, parameters, options))
        except KeyboardInterrupt:
            with tqdm.external_write_mode():
                done = f"{len(results)} of {len(jobs)} images done"
                print(f"segjt: {done}; run the same command again to resume", file=sys.stderr)
            raise
    return results


def run_job(job: Job, parameters: Parameters, options: argparse.Namespace) -> JobResult:
    """Segment an image unless it is finished, and print its result or error."""
    from tqdm import tqdm

    task = segment_task(parameters)
    try:
        record = read_record(job)
        if record is not None and is_finished(job, record, parameters, options.page):
            return JobResult(job, record)
        if record is not None and not options.overwrite:
            raise FileExistsError(
                f"{job.image}: {job.files.record} belongs to another image of that name, or some of its files are "
                "missing; use --overwrite to recompute it"
            )
        job.files.check({}, options.overwrite)
        record = process_file(task, job.image, job.files, options)
    except Exception as error:
        with tqdm.external_write_mode():
            return JobResult(job, error=explain(error, str(job.image)), code=print_error(error, str(job.image)))
    if not options.quiet:
        with tqdm.external_write_mode():
            print(success(task, job.image, record, job.files), flush=True)
    return JobResult(job, record, new=True)


def is_finished(job: Job, record: dict[str, Any], parameters: Parameters, page: int | None) -> bool:
    """Tell whether all results of an image exist and are those that this call would make."""
    return (
        not difference(record, parameters)
        and record["image"].get("page") == page
        and all((job.files.folder / name).is_file() for name in record["files"])
        and record["image"].get("sha256") == hashlib.sha256(read_file(job.image)).hexdigest()
    )
