"""The command line: parse, call, print."""

from segjt.cli.main import main

__all__ = ["main"]
