"""`segjt benchmark`."""

from __future__ import annotations

import argparse
from pathlib import Path

from segjt.io import check_targets


def speed(options: argparse.Namespace) -> int:
    """Run the benchmark of speed."""
    from segjt.evaluation.speed import run

    folder = Path(options.output)
    check_targets([folder / "speed.json"], options.overwrite)
    run(folder, options.quick, options.overwrite)
    return 0
