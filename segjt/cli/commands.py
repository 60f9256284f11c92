"""The commands of `segjt` and their options."""

from __future__ import annotations

from typing import Any

import segjt
from segjt.cli.options import (
    IMAGE_FILES,
    add_images_and_output,
    add_object_options,
    add_page_and_quiet,
    add_parameters,
    list_of,
    numbers_of_segments,
    one_of,
    positive,
)
from segjt.cli.parser import Parser

RESUMES = "Finished work is kept: run the same command again to resume."


def build_parser() -> Parser:
    """Return the parser; the options of parameters come from `Parameters`."""
    parser = Parser(prog="segjt", description="Segment images with Jensen-Tsallis kernels, without training data.")
    parser.add_argument("--version", action="version", version=f"segjt {segjt.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    add_segment(commands)
    add_objects(commands)
    add_batch(commands)
    kernels = commands.add_parser("kernels", help="list the kernels and their parameters")
    kernels.set_defaults(command="segjt.cli.show:show_kernels")
    config = commands.add_parser("config", help="print the given parameters as a config file, to keep and edit")
    add_parameters(config)
    config.set_defaults(command="segjt.cli.show:show_config")
    add_benchmarks(commands.add_parser("benchmark", help="measure speed and quality"))
    return parser


def add_segment(commands: Any) -> None:
    """Add `segjt segment`."""
    segment = commands.add_parser(
        "segment", help="segment images", description="Segment images and write the results next to them."
    )
    add_images_and_output(segment)
    segment.add_argument("--show-stages", action="store_true", help="also write the initial segments, before merging")
    segment.add_argument(
        "--hierarchy",
        type=numbers_of_segments,
        metavar="N,N,...",
        default=[],
        help="also write nested label maps with these numbers of segments",
    )
    segment.add_argument("--contours", action="store_true", help="also write a picture of how strong each boundary is")
    segment.add_argument(
        "--export",
        type=list_of(str, "--export"),
        metavar="NAME,...",
        default=[],
        help="also write these results, comma-separated: initial, initial_overlay, contours, or what "
        "segjt.results.register_export has added",
    )
    add_page_and_quiet(segment)
    add_parameters(segment)
    segment.set_defaults(command="segjt.cli.segment:segment_files")


def add_objects(commands: Any) -> None:
    """Add `segjt objects`."""
    objects = commands.add_parser(
        "objects",
        help="find many things of a kind in images, such as cells, coins or fruit",
        description="Find many things of a kind in images, and write a label map (0 is background), a picture, a table "
        "with a row for each object and a record next to them.",
    )
    add_images_and_output(objects)
    add_page_and_quiet(objects)
    add_object_options(objects)
    add_parameters(objects)
    objects.set_defaults(command="segjt.cli.objects:find_in_files")


def add_batch(commands: Any) -> None:
    """Add `segjt batch`."""
    batch = commands.add_parser(
        "batch",
        help="segment all images in a folder",
        description=f"Segment all images in a folder. {RESUMES}",
    )
    batch.add_argument("folder", metavar="FOLDER", help=f"folder with {IMAGE_FILES} files")
    batch.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="folder for the results and their summary"
    )
    batch.add_argument("--recursive", action="store_true", help="include images in subfolders")
    batch.add_argument(
        "--overwrite",
        action="store_true",
        help="recompute results made with other parameters, from another image, or by another version",
    )
    add_page_and_quiet(batch)
    add_parameters(batch)
    batch.set_defaults(command="segjt.cli.batch:segment_folder")


def add_benchmarks(benchmark: Parser) -> None:
    """Add a command for each benchmark."""
    benchmarks = benchmark.add_subparsers(title="benchmarks", metavar="NAME")
    speed = benchmarks.add_parser(
        "speed",
        help="time and memory, compared with the plain version and other tools",
        description="Time segjt, the papers' method in plain numpy and scikit-learn, and other tools.",
    )
    speed.add_argument(
        "-o", "--output", metavar="FOLDER", default=".", help="folder for speed.json and speed.png (default: here)"
    )
    speed.add_argument("--quick", action="store_true", help="16x16 blocks and small images only: about a minute")
    speed.add_argument("--overwrite", action="store_true", help="replace existing results")
    speed.set_defaults(command="segjt.cli.benchmark:speed")

    weizmann = benchmarks.add_parser(
        "weizmann",
        help="F on the Weizmann database (Table VII of the paper), beside other tools",
        description="Segment the Weizmann database with every setting of a grid, score it, and print the paper's Table "
        f"VII with our figures. {RESUMES}",
    )
    weizmann.add_argument(
        "--objects",
        type=one_of("--objects", (1, 2)),
        metavar="{1,2}",
        default=1,
        help="images of 1 or 2 objects (default: 1)",
    )
    add_image_benchmark(weizmann, "weizmann", "table7")
    bsds = benchmarks.add_parser(
        "bsds",
        help="covering, PRI, VoI and boundary F on the Berkeley sets, beside other tools",
        description="Segment a Berkeley set with every setting of a grid, and print covering, PRI, VoI and boundary F "
        "at ODS and OIS, with the AP of boundaries. Where contour maps of gPb-owt-ucm are in a folder ucm2 beside the "
        f"images, they are scored, too. {RESUMES}",
    )
    bsds.add_argument(
        "--split",
        type=one_of("--split", ("all", "train", "val", "test")),
        metavar="{all,train,val,test}",
        default="all",
        help="which images (default: all)",
    )
    add_image_benchmark(bsds, "bsds", "cuts")
    sod = benchmarks.add_parser(
        "sod",
        help="F on the salient objects of Berkeley's images, beside other tools",
        description="Segment the images of SOD and print how well one segment shows the salient objects: in one map, "
        f"and in the maps of 2 to 32 segments of a hierarchy. {RESUMES}",
    )
    add_image_benchmark(sod, "sod", "sod")
    nuclei = benchmarks.add_parser(
        "nuclei",
        help="F1, average precision and counts on nuclei, beside other tools",
        description="Find the nuclei in microscope images and print F1, the average precision of the 2018 Data Science "
        f"Bowl and the error of the count. {RESUMES}",
    )
    add_image_benchmark(nuclei, "nuclei", "nuclei")
    add_stability_benchmark(benchmarks)
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
        help="settings to try: quick (about a minute), table7, paper (the paper's whole grid: hours), "
        "cuts (one setting per kernel, many numbers of segments), sod and nuclei (defaults and other tools), or a TOML "
        f"file (default: {grid})",
    )
    parser.add_argument(
        "--kernels",
        type=list_of(str, "--kernels"),
        metavar="NAMES",
        help="only these kernels of the grid, comma-separated",
    )
    parser.add_argument(
        "--block-sizes",
        type=list_of(int, "--block-sizes"),
        metavar="SIZES",
        help="these block sizes, comma-separated (default: those of the grid)",
    )
    parser.add_argument(
        "--peers",
        type=list_of(str, "--peers"),
        metavar="NAMES",
        help="only these other tools of the grid, comma-separated, or none",
    )
    parser.add_argument("--images", metavar="N|NAMES", help="the first N images, or these names, comma-separated")
    parser.add_argument("--estimate", action="store_true", help="only print how long the benchmark would take")
    add_stored_benchmark(parser, name)


def add_stability_benchmark(benchmarks: Any) -> None:
    """Add the benchmark of stability."""
    parser = benchmarks.add_parser(
        "stability",
        help="how much a flipped, moved, enlarged or lighter picture changes the map, beside other tools",
        description="Segment pictures before and after changes that leave them the same to a person, and print the "
        f"mean and the least adjusted Rand index of both maps. {RESUMES}",
    )
    parser.add_argument(
        "--data", metavar="PATH", help="folder with the Weizmann and the Berkeley images (default: SEGJT_DATA)"
    )
    parser.add_argument("--folder", metavar="FOLDER", help="the images of this folder instead; they need no truth")
    parser.add_argument(
        "--images",
        metavar="N|NAMES",
        help="N images, evenly from all, or these names, comma-separated (default: 60)",
    )
    parser.add_argument(
        "--changes", type=list_of(str, "--changes"), metavar="NAMES", help="only these changes, comma-separated"
    )
    parser.add_argument(
        "--methods",
        type=list_of(str, "--methods"),
        metavar="NAMES",
        help="only these of segjt, felzenszwalb and slic_ncut, comma-separated",
    )
    add_stored_benchmark(parser, "stability")


def add_learning_benchmark(benchmarks: Any, name: str, papers: str) -> None:
    """Add a benchmark of learning experiments."""
    parser = benchmarks.add_parser(
        name,
        help=f"the papers' learning experiments: {papers}",
        description=f"Run the learning experiments of the papers, {papers}, and print our figures beside the published "
        f"ones. {RESUMES}",
    )
    parser.add_argument(
        "--data",
        metavar="PATH",
        help=f"folder with the CSV files, or with a subfolder {name} of them (default: SEGJT_DATA)",
    )
    parser.add_argument(
        "--experiments",
        type=list_of(str, "--experiments"),
        metavar="NAMES",
        help="only these, comma-separated, such as 000-table3",
    )
    parser.add_argument(
        "--quick", action="store_true", help="few data sets, coarse grids, few runs: less than two minutes"
    )
    add_stored_benchmark(parser, name)


def add_stored_benchmark(parser: Parser, name: str) -> None:
    """Add the options of all benchmarks that keep finished work."""
    parser.add_argument("--workers", metavar="N", type=positive, help="number of processes (default: all cores)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default=f"benchmark-{name}",
        help=f"folder for the tables (default: benchmark-{name})",
    )
    parser.add_argument(
        "--store", metavar="FILE", help="file that keeps finished work (default: store.sqlite in the output folder)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that are not tables of segjt")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(command=f"segjt.cli.benchmark:{name}")
