"""Files as bytes: read with errors that name the remedy, written all together or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

TEMPORARY = re.compile(r"\.(.+)\.\d+\.part", re.DOTALL)


def read_file(path: str | Path) -> bytes:
    """Return the content of a file; errors name the file and the remedy."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name the image files, for instance {path / '*.png'}")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file") from None
    if not data:
        raise ValueError(f"{path}: the file is empty (0 bytes); get it again from its source")
    return data


def write_files(files: Mapping[Path, bytes], overwrite: bool = False) -> None:
    """Write all of several files or none: each to a temporary name first, renamed when all are complete."""
    check_targets(files, overwrite)
    temporary = {path: temporary_name(path) for path in files}
    try:
        for path, content in files.items():
            with open(temporary[path], "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        check_targets(files, overwrite)
        for path, written in temporary.items():
            os.replace(written, path)
    finally:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink()


def temporary_name(path: Path) -> Path:
    """Return the path of the temporary file that becomes this file when it is complete."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def intended_name(name: str) -> str | None:
    """Return the name that a temporary file was meant to get; None if the name is not that of a temporary file."""
    match = TEMPORARY.fullmatch(name)
    return match[1] if match else None


def check_targets(paths: Iterable[Path], overwrite: bool) -> None:
    """Raise an error that names the first path that is a folder, or that exists and must not be overwritten."""
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(
                f"{path}: is a folder where a result should go; rename it, or use another output folder"
            )
        if not overwrite and os.path.lexists(path):
            raise FileExistsError(
                f"{path}: exists and is kept; use --overwrite (overwrite=True) to replace it, or another folder"
            )
