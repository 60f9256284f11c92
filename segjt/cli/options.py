"""Options that commands share, and the values they accept."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from segjt.cli.parser import Parser
from segjt.fields import fields_of
from segjt.parameters import PRESETS, Parameters, read_config

ALIASES = {"rng": ["--rng", "--seed"]}
PREFIX = "parameter_"


def positive(text: str) -> int:
    """Return a whole number above 0 from the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def page_number(text: str) -> int:
    """Return a page number from the command line."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a page number; pages count from 0") from None


def numbers_of_segments(text: str) -> list[int]:
    """Return the numbers of segments of a comma-separated list, sorted, each once."""
    try:
        numbers = sorted({int(number) for number in text.split(",")})
    except ValueError:
        numbers = [0]
    if numbers[0] < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers of segments; give one such as 2,4,8,16")
    return numbers


def comma_separated(text: str) -> list[str]:
    """Return the names of a comma-separated list."""
    return [name for word in text.split(",") if (name := word.strip())]


def add_page_and_quiet(parser: Parser) -> None:
    """Add --page and --quiet."""
    parser.add_argument(
        "--page", type=page_number, metavar="N", default=None, help="page of a file with several, from 0"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_parameters(parser: Parser) -> None:
    """Add an option for every field of `Parameters`."""
    group = parser.add_argument_group("parameters")
    config = group.add_argument(
        "--config",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="TOML file of parameters, or the JSON record of an earlier result",
    )
    preset = group.add_argument(
        "--preset",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help=f"settings to start from: {', '.join(PRESETS)}; config file and options override single ones",
    )
    for action in (config, preset):
        parser.remember(action)
    for name, declared in fields_of(Parameters).items():
        limits = declared.range_text()
        limits = f"; {limits}" if limits not in ("a number", "a whole number") else ""
        value = Parameters.__dataclass_fields__[name].default
        action = group.add_argument(
            *ALIASES.get(name, [f"--{name.replace('_', '-')}"]),
            dest=f"{PREFIX}{name}",
            metavar="NAME" if declared.kind is str else "N",
            default=argparse.SUPPRESS,
            type=parameter_type(name),
            help=f"{declared.doc}{limits}" + (f" (default: {value})" if value is not None else ""),
        )
        parser.remember(action)


def parameter_type(name: str) -> Callable[[str], Any]:
    """Return the function that turns the text of an option into the value of a parameter."""

    def parse(text: str) -> Any:
        try:
            return fields_of(Parameters)[name].parse(name, text)
        except (ValueError, TypeError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def chosen_parameters(options: argparse.Namespace) -> Parameters:
    """Return the preset, overridden by the config file, overridden by the options."""
    parameters = Parameters.preset(getattr(options, "preset", "default"))
    if "config" in options:
        values = read_config(options.config)
        try:
            parameters = parameters.replace(**values)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{options.config}: {error}") from None
    given = {name.removeprefix(PREFIX): value for name, value in vars(options).items() if name.startswith(PREFIX)}
    return parameters.replace(**given)
