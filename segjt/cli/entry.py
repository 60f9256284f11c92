"""`segjt`: run a command and turn every outcome into an exit code."""

from __future__ import annotations

import io
import os
import pkgutil
import sys
from collections.abc import Sequence

from segjt.cli.commands import build_parser
from segjt.cli.errors import FAILURE, INTERRUPTED, print_error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 for a failure, 2 for wrong usage or bad input."""
    # A stream that the caller has closed is None, which libraries do not expect.
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # file names need not be valid text
            stream.reconfigure(errors="backslashreplace")
    options = build_parser().parse_args(arguments)
    try:
        # The module of a command is imported only now.
        code: int = pkgutil.resolve_name(options.command)(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("segjt: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone: `segjt kernels | head -n 1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILURE
    except Exception as error:
        return print_error(error)
