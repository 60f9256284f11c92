"""The command line: parse, call, print.

In: words of a command. Out: an exit code, files, and one line per image or error; it computes nothing of its own.
Knows every room. Modules that import numpy are imported when a command runs, so that `segjt --help` is fast.
"""

from segjt.cli.entry import main

__all__ = ["main"]
