"""Options that commands share, and the values they accept."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from segjt.cli.parser import Parser
from segjt.fields import Field, fields_of, own_fields, suggestion
from segjt.parameters import PRESETS, Parameters, read_config
from segjt.trees.object_options import ObjectOptions

# `segjt.io.FORMATS`, whose import would import numpy and slow down `segjt --help`.
IMAGE_FILES = "PNG, JPEG, TIFF, BMP or WebP"
ALIASES = {"rng": ["--rng", "--seed"]}
# What the names of options in the parsed command line begin with, by the class that has their fields.
PREFIXES: dict[type, str] = {Parameters: "parameter_", ObjectOptions: "object_"}

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


def add_images_and_output(parser: Parser) -> None:
    """Add the images, and the options that say where their results go."""
    parser.add_argument("images", nargs="+", metavar="IMAGE", help=f"{IMAGE_FILES} file")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default=None, help="folder for the results (created if needed)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace existing results")


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
    add_fields(parser, group, Parameters)


def add_object_options(parser: Parser) -> None:
    """Add an option for every field of `ObjectOptions`."""
    add_fields(parser, parser.add_argument_group("objects"), ObjectOptions)


def add_fields(parser: Parser, group: Any, owner: type) -> None:
    """Add an option for every field of a class."""
    defaults = {field.name: field.default for field in own_fields(owner)}
    for name, declared in fields_of(owner).items():
        default = f" (default: {defaults[name]})" if defaults[name] is not None else ""
        action = group.add_argument(
            *ALIASES.get(name, [f"--{name.replace('_', '-')}"]),
            dest=f"{PREFIXES[owner]}{name}",
            metavar="NAME" if declared.kind is str else "N",
            default=argparse.SUPPRESS,
            type=value_of(name, declared),
            help="; ".join([declared.doc, *declared.limits()]) + default,
        )
        parser.remember(action)


def value_of(name: str, declared: Field) -> Callable[[str], Any]:
    """Return the function that turns the text of an option into the value of a field."""

    def parse(text: str) -> Any:
        try:
            return declared.parse(name, text)
        except (ValueError, TypeError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def chosen_parameters(options: argparse.Namespace) -> Parameters:
    """Return the preset, overridden by the config file, overridden by the options."""
    parameters = Parameters.preset(getattr(options, "preset", "default"))
    if "config" in options:
        values = read_config(options.config)
        with errors_that_name(options.config):
            parameters = parameters.replace(**values)
    return parameters.replace(**given_values(options, Parameters))


def chosen_object_options(options: argparse.Namespace) -> ObjectOptions:
    """Return the options of the record that serves as config file, if it has any, overridden by those given."""
    recorded = ObjectOptions()
    if "config" in options and Path(options.config).suffix.lower() == ".json":
        with errors_that_name(options.config):
            values = json.loads(Path(options.config).read_text(encoding="utf-8-sig")).get("options", {})
            recorded = ObjectOptions(**{name: values[name] for name in fields_of(ObjectOptions) if name in values})
    return dataclasses.replace(recorded, **given_values(options, ObjectOptions))


def given_values(options: argparse.Namespace, owner: type) -> dict[str, Any]:
    """Return the values of the fields of a class that the command line has."""
    prefix = PREFIXES[owner]
    return {name.removeprefix(prefix): value for name, value in vars(options).items() if name.startswith(prefix)}


@contextlib.contextmanager
def errors_that_name(path: str) -> Iterator[None]:
    """Put the name of a file before errors about the values in it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"{path}: {error}") from None
