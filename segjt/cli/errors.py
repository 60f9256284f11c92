"""Errors as users see them: one line each, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

FAILURE = 1
BAD_INPUT = 2
INTERRUPTED = 130
INPUT_ERRORS = (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError)


def print_error(error: Exception, subject: str = "") -> int:
    """Print an error as one line and return its exit code."""
    print("segjt:", explain(error, subject), file=sys.stderr)
    return BAD_INPUT if isinstance(error, INPUT_ERRORS) else FAILURE


def explain(error: Exception, subject: str = "") -> str:
    """Return an error as one line that names its subject."""
    message = str(error)
    if isinstance(error, OSError) and error.errno is not None:
        message = f"{error.filename or subject}: {error.strerror}"
    elif not isinstance(error, (ValueError, TypeError, OSError)):
        message = f"{subject}: {type(error).__name__}: {message}" if subject else f"{type(error).__name__}: {message}"
    elif subject and subject not in message:
        message = f"{subject}: {message}"
    return " ".join(message.split())


def worst(codes: Sequence[int]) -> int:
    """Return the exit code for several images: that of the worst one."""
    return FAILURE if FAILURE in codes else BAD_INPUT if BAD_INPUT in codes else 0
