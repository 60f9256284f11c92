"""`segjt`: the parser of all commands, and what becomes of errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import segjt
from segjt.fields import fields_of, suggestion
from segjt.parameters import PRESETS, Parameters, read_config

BAD_INPUT = 2
FAILURE = 1
INTERRUPTED = 130
ALIASES = {"rng": ["--rng", "--seed"]}


class Parser(argparse.ArgumentParser):
    """An argument parser that takes no abbreviations and suggests the right word for a typo."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.given = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            owner: Parser = getattr(found, "parser", self)
            owner.error(
                f"unknown argument {rest[0]!r}{suggestion(rest[0].split('=')[0], owner._option_string_actions)}"
            )
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            what = (
                f"{action.option_strings[0]} {value}: unknown"
                if action.option_strings
                else f"unknown command {value!r}"
            )
            raise argparse.ArgumentError(
                None, f"{what}{suggestion(str(value), choices)}; choose from {', '.join(choices)}"
            )

    def error(self, message: str) -> NoReturn:
        # A mistyped option explains what is missing better than the missing thing does.
        typos = [
            word
            for word in self.given
            if word.startswith("--") and word.split("=")[0] not in self._option_string_actions
        ]
        if "required" in message and typos:
            message = f"unknown argument {typos[0]!r}{suggestion(typos[0], self._option_string_actions)}"
        self.exit(BAD_INPUT, f"{self.prog}: {message}\nSee '{self.prog} --help'.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 for a failure, 2 for bad use or input."""
    # A stream that the caller has closed is None, which libraries do not expect.
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # file names need not be text
            stream.reconfigure(errors="backslashreplace")
    options = build_parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("segjt: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads on: `segjt kernels | head -n 1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILURE
    except Exception as error:
        return report(error)


def report(error: Exception, subject: str = "") -> int:
    """Print an error as one line and return the exit code that goes with it."""
    print("segjt:", explain(error, subject), file=sys.stderr)
    return (
        BAD_INPUT
        if isinstance(error, (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError))
        else FAILURE
    )


def explain(error: Exception, subject: str = "") -> str:
    """Return an error as one line that names its subject."""
    message = str(error)
    if isinstance(error, OSError) and error.errno is not None:
        message = f"{error.filename or subject}: {error.strerror}"
    elif not isinstance(error, (ValueError, TypeError, OSError)):
        message = f"{subject}: {type(error).__name__}: {message}" if subject else f"{type(error).__name__}: {message}"
    elif subject and subject not in message:
        message = f"{subject}: {message}"
    return " ".join(message.split())


def worst(codes: Sequence[int]) -> int:
    """Return the exit code of several images."""
    return FAILURE if FAILURE in codes else BAD_INPUT if BAD_INPUT in codes else 0


def build_parser() -> Parser:
    """Return the parser; options of parameters are read off `Parameters`."""
    parser = Parser(prog="segjt", description="Segment images with Jensen-Tsallis kernels, without training data.")
    parser.add_argument("--version", action="version", version=f"segjt {segjt.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)

    segment = commands.add_parser(
        "segment", help="segment images", description="Segment images and write the results next to them."
    )
    segment.add_argument("images", nargs="+", metavar="IMAGE", help="PNG, JPEG, TIFF, BMP or WebP file")
    segment.add_argument(
        "-o", "--output", metavar="FOLDER", default=None, help="folder for the results (made if needed)"
    )
    segment.add_argument("--overwrite", action="store_true", help="replace results that exist")
    segment.add_argument("--show-stages", action="store_true", help="also write the initial segments, before merging")
    segment.add_argument(
        "--hierarchy",
        type=numbers_of_segments,
        metavar="N,N,...",
        default=[],
        help="also write the maps of these numbers of segments, nested",
    )
    segment.add_argument("--contours", action="store_true", help="also write a picture of how strong each boundary is")
    add_page_and_quiet(segment)
    add_parameters(segment)
    segment.set_defaults(parser=segment, run=lambda options: _command("segment", "segment_files")(options))

    batch = commands.add_parser(
        "batch",
        help="segment all images of a folder",
        description="Segment all images of a folder. After an interruption the same call goes on.",
    )
    batch.add_argument("folder", metavar="FOLDER", help="folder with PNG, JPEG, TIFF, BMP or WebP files")
    batch.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="folder for the results and their summary"
    )
    batch.add_argument("--recursive", action="store_true", help="images in folders inside the folder, too")
    batch.add_argument(
        "--overwrite",
        action="store_true",
        help="make results anew if they were made with other parameters, of another image, or by another version",
    )
    add_page_and_quiet(batch)
    add_parameters(batch)
    batch.set_defaults(parser=batch, run=lambda options: _command("batch", "segment_folder")(options))

    kernels = commands.add_parser("kernels", help="list the kernels and their parameters")
    kernels.set_defaults(parser=kernels, run=lambda options: _command("show", "show_kernels")(options))

    config = commands.add_parser("config", help="print a config file with the given parameters, to be kept and edited")
    add_parameters(config)
    config.set_defaults(parser=config, run=lambda options: _command("show", "show_config")(options))
    add_benchmarks(commands.add_parser("benchmark", help="measure segjt"))
    return parser


def add_benchmarks(benchmark: Parser) -> None:
    """Add a command for each benchmark."""
    benchmarks = benchmark.add_subparsers(title="benchmarks", metavar="NAME", required=True, parser_class=Parser)
    speed = benchmarks.add_parser(
        "speed",
        help="time and memory, against the plain version and other tools",
        description="Time segjt against the papers' method in plain numpy and scikit-learn, and against other tools.",
    )
    speed.add_argument(
        "-o", "--output", metavar="FOLDER", default=".", help="folder for speed.json and speed.png (default: here)"
    )
    speed.add_argument("--quick", action="store_true", help="16x16 blocks and small images only: about a minute")
    speed.add_argument("--overwrite", action="store_true", help="replace results that exist")
    speed.set_defaults(parser=speed, run=lambda options: _command("benchmark", "speed")(options))

    weizmann = benchmarks.add_parser(
        "weizmann",
        help="F on the Weizmann database (Table VII of the paper), beside other tools",
        description="Segment the Weizmann database with every setting of a grid, score it, and print the paper's Table "
        "VII with our figures. Finished work is kept: the same command goes on where an earlier one was stopped.",
    )
    weizmann.add_argument(
        "--objects", type=int, choices=(1, 2), default=1, help="images of 1 or 2 objects (default: 1)"
    )
    add_image_benchmark(weizmann, "weizmann", "table7")
    bsds = benchmarks.add_parser(
        "bsds",
        help="covering, PRI and VoI on the Berkeley sets, beside other tools",
        description="Segment a Berkeley set with every setting of a grid, and print covering, PRI and VoI at ODS and "
        "OIS. Finished work is kept: the same command goes on where an earlier one was stopped.",
    )
    bsds.add_argument(
        "--split", choices=("all", "train", "val", "test"), default="all", help="which images (default: all)"
    )
    add_image_benchmark(bsds, "bsds", "cuts")
    add_learning_benchmark(benchmarks, "uci", "UCI data (papers 000, 001, 002, 004)")
    add_learning_benchmark(benchmarks, "genes", "gene expressions (paper 000)")
    add_learning_benchmark(benchmarks, "text", "texts (paper 003)")


def add_image_benchmark(parser: Parser, name: str, grid: str) -> None:
    """Add the options of a benchmark on images."""
    parser.add_argument("--data", metavar="PATH", help="folder or archive with the images (default: SEGJT_DATA)")
    parser.add_argument(
        "--grid",
        metavar="NAME",
        default=grid,
        help="which settings to try: quick (about a minute), table7, paper (the paper's whole grid: hours), "
        f"cuts (one setting a kernel, many numbers of segments), or a TOML file (default: {grid})",
    )
    parser.add_argument("--kernels", metavar="NAMES", help="only these kernels of the grid, with commas")
    parser.add_argument("--block-sizes", metavar="SIZES", help="these block sizes, with commas (default: the grid's)")
    parser.add_argument("--peers", metavar="NAMES", help="only these other tools of the grid, with commas, or none")
    parser.add_argument("--images", metavar="N|NAMES", help="the first N images, or those of these names, with commas")
    parser.add_argument("--estimate", action="store_true", help="print how long it would take, and do not run it")
    add_stored_benchmark(parser, name)


def add_learning_benchmark(benchmarks: Any, name: str, papers: str) -> None:
    """Add a benchmark of learning experiments."""
    parser = benchmarks.add_parser(
        name,
        help=f"the papers' learning experiments: {papers}",
        description=f"Run the learning experiments of the papers, {papers}, and print our figures beside the published "
        "ones. Finished work is kept: the same command goes on where an earlier one was stopped.",
    )
    parser.add_argument(
        "--data",
        metavar="PATH",
        help=f"folder with the CSV files, or with a folder {name} of them (default: SEGJT_DATA)",
    )
    parser.add_argument("--experiments", metavar="NAMES", help="only these, with commas, such as 000-table3")
    parser.add_argument(
        "--quick", action="store_true", help="few data sets, coarse grids, few runs: less than two minutes"
    )
    add_stored_benchmark(parser, name)


def add_stored_benchmark(parser: Parser, name: str) -> None:
    """Add the options of all benchmarks that keep finished work."""
    parser.add_argument("--workers", metavar="N", type=positive, help="processes (default: the cores)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default=f"benchmark-{name}",
        help=f"folder for the tables (default: benchmark-{name})",
    )
    parser.add_argument(
        "--store", metavar="FILE", help="where finished work is kept (default: store.sqlite in the output folder)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that are not tables of segjt")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(parser=parser, run=lambda options: _command("benchmark", name)(options))


def _command(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    """Import what a command needs only when it runs."""
    import importlib

    found: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(f"segjt.cli.{module}"), function)
    return found


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
    """Return the numbers of segments of a list on the command line, each once."""
    try:
        found = sorted({int(number) for number in text.split(",")})
    except ValueError:
        found = [0]
    if found[0] < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers of segments; give one such as 2,4,8,16")
    return found


def add_page_and_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the options that all commands share that segment images."""
    parser.add_argument(
        "--page", type=page_number, metavar="N", default=None, help="page of a file with several, from 0"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Add an option for every field of `Parameters`."""
    group = parser.add_argument_group("parameters")
    group.add_argument(
        "--config",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="TOML file of parameters, or the JSON record of an earlier result",
    )
    group.add_argument(
        "--preset",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help=f"settings to start from: {', '.join(PRESETS)}; options and config file change single ones of them",
    )
    for name, declared in fields_of(Parameters).items():
        limits = declared.range_text()
        limits = f"; {limits}" if limits not in ("a number", "a whole number") else ""
        value = Parameters.__dataclass_fields__[name].default
        group.add_argument(
            *ALIASES.get(name, [f"--{name.replace('_', '-')}"]),
            dest=f"parameter_{name}",
            metavar="NAME" if declared.kind is str else "N",
            default=argparse.SUPPRESS,
            type=_argument(name),
            help=f"{declared.doc}{limits}" + (f" (default: {value})" if value is not None else ""),
        )


def _argument(name: str) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return fields_of(Parameters)[name].parse(name, text)
        except (ValueError, TypeError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def chosen_parameters(options: argparse.Namespace) -> Parameters:
    """Return the preset, changed by the config file, changed by the options."""
    parameters = Parameters.preset(getattr(options, "preset", "default"))
    if "config" in options:
        values = read_config(options.config)
        try:
            parameters = parameters.replace(**values)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{options.config}: {error}") from None
    given = {
        name.removeprefix("parameter_"): value for name, value in vars(options).items() if name.startswith("parameter_")
    }
    return parameters.replace(**given)
