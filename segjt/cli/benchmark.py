"""`segjt benchmark`."""

from __future__ import annotations

import argparse
from pathlib import Path

from segjt.io import check_targets


def speed(options: argparse.Namespace) -> int:
    """Run the benchmark of speed."""
    from importlib.util import find_spec

    from segjt.evaluation.speed import run

    if find_spec("matplotlib") is None:
        raise OSError(
            "the picture of the benchmark needs matplotlib, which is not installed; pip install 'segjt[plots]'"
        )
    folder = Path(options.output)
    check_targets([folder / "speed.json", folder / "speed.png"], options.overwrite)
    run(folder, options.quick, options.overwrite)
    return 0
