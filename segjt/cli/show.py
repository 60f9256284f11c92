"""`segjt kernels` and `segjt config`."""

from __future__ import annotations

import argparse

from segjt.cli.main import chosen_parameters
from segjt.kernels.registry import kernel_class, kernel_names
from segjt.knobs import knobs_of


def show_kernels(options: argparse.Namespace) -> int:
    """Print every kernel with its parameters, ranges, defaults and domain."""
    for name in kernel_names():
        found = kernel_class(name)
        summary = (found.__doc__ or "").strip().splitlines()[0]
        print(f"{name}\n    {summary}")
        print(f"    domain: {found.domain}; positive semi-definite {found.positive_semidefinite}")
        for parameter, declared in knobs_of(found).items():
            default = found.__dataclass_fields__[parameter].default
            print(f"    --{parameter}: {declared.doc}; {declared.range_text()} (default: {default})")
    return 0


def show_config(options: argparse.Namespace) -> int:
    """Print the parameters as a TOML config file."""
    print(chosen_parameters(options).to_toml(), end="")
    return 0
