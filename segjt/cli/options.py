"""Options that commands share, and the values they accept."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from segjt.cli.parser import Parser
from segjt.fields import fields_of, suggestion
from segjt.parameters import PRESETS, Parameters, read_config

ALIASES = {"rng": ["--rng", "--seed"]}
PREFIX = "parameter_"

Value = TypeVar("Value")


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


def comma_separated(text: str, kind: Callable[[str], Value], option: str) -> list[Value]:
    """Return the values of a comma-separated list; an empty one is a ValueError that names the option."""
    try:
        values = [kind(word.strip()) for word in text.split(",") if word.strip()]
    except ValueError:
        raise ValueError(f"{option} {text}: is not a comma-separated list of whole numbers") from None
    if not values:
        raise ValueError(f"{option} {text!r}: is empty; give comma-separated values")
    return values


def list_of(kind: Callable[[str], Value], option: str) -> Callable[[str], list[Value]]:
    """Return the function that turns the text of an option into a list of values."""

    def parse(text: str) -> list[Value]:
        try:
            return comma_separated(text, kind, option)
        except ValueError as error:
            raise argparse.ArgumentError(None, str(error)) from None

    return parse


def one_of(option: str, choices: Sequence[Value]) -> Callable[[str], Value]:
    """Return the function that turns the text of an option into one of its choices, with a suggestion for others."""
    by_text = {str(choice): choice for choice in choices}

    def parse(text: str) -> Value:
        if text not in by_text:
            remedy = f"{suggestion(text, by_text)}; choose from {', '.join(by_text)}"
            raise argparse.ArgumentError(None, f"{option} {text}: unknown{remedy}")
        return by_text[text]

    return parse


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
