"""`segjt kernels` and `segjt config`: print what can be chosen, and what was."""

from __future__ import annotations

import argparse

from segjt.cli.options import chosen_parameters
from segjt.fields import fields_of
from segjt.kernels.registry import COMPOSITES, default_base, kernel_class, kernel_names
from segjt.parameters import IMAGE_DEFAULTS, Parameters


def show_kernels(options: argparse.Namespace) -> int:
    """Print every kernel with its formula, domain, features and parameters with their ranges and defaults."""
    for name in kernel_names():
        kernel = kernel_class(name)
        summary = (kernel.__doc__ or "").strip().splitlines()[0]
        print(f"{name}\n    {summary}")
        print(f"    domain: {kernel.domain}")
        print(f"    positive semi-definite: {kernel.positive_semidefinite}")
        print(f"    features of a pixel: {Parameters(kernel=name).feature_name()}")
        if name in COMPOSITES:
            print(f"    --base-kernel: the kernel it is made of (default: {default_base(name)}), with its parameters")
        for parameter, declared in fields_of(kernel).items():
            default = kernel.__dataclass_fields__[parameter].default
            in_images = f", in images {IMAGE_DEFAULTS[parameter]}" if parameter in IMAGE_DEFAULTS else ""
            option = f"--{parameter.replace('_', '-')}"
            print(f"    {option}: {declared.doc}; {declared.range_text()} (default: {default}{in_images})")
    return 0


def show_config(options: argparse.Namespace) -> int:
    """Print the parameters as a TOML config file."""
    print(chosen_parameters(options).to_toml(), end="")
    return 0
