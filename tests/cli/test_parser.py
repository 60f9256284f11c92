"""The parser by itself: what it suggests, and what it leaves to argparse."""

import pytest

from segjt.cli.parser import Parser


@pytest.fixture
def parser():
    parser = Parser(prog="tool")
    parser.add_argument("--version", action="version", version="1")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    paint = commands.add_parser("paint")
    paint.add_argument("files", nargs="+")
    paint.add_argument("-o", "--output")
    group = paint.add_argument_group("more")
    paint.remember(group.add_argument("--colour", type=int))
    return parser


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pant", "x"], "tool: unknown command 'pant' (did you mean 'paint'?); choose from paint"),
        (["--verion"], "tool: unknown argument '--verion' (did you mean '--version'?)"),
        (["paint", "--outptu", "x"], "tool paint: unknown argument '--outptu' (did you mean '--output'?)"),
        (["paint", "x", "--colur=3"], "tool paint: unknown argument '--colur=3' (did you mean '--colour'?)"),
        (["paint", "x", "--out", "y"], "tool paint: unknown argument '--out'"),  # no abbreviations
        (["paint", "x", "-z"], "tool paint: unknown argument '-z'"),
        (["paint", "--colour", "3"], "tool paint: the following arguments are required: files"),
        (["paint", "x", "--colour", "red"], "tool paint: argument --colour: invalid int value: 'red'"),
        ([], "tool: the following arguments are required: COMMAND"),
    ],
)
def test_mistakes(parser, capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        parser.parse_args(words)
    assert stopped.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(message)
    assert len(lines) == 2
    assert lines[1].startswith("See 'tool")


def test_words_that_only_look_like_mistakes(parser):
    assert parser.parse_args(["paint", "--", "--outptu", "pant"]).files == ["--outptu", "pant"]
    assert parser.parse_args(["paint", "--my photo.png"]).files == ["--my photo.png"]
    assert parser.parse_args(["paint", "x", "--colour", "-3"]).colour == -3
    assert parser.parse_args(["paint", "x", "--output=--y"]).output == "--y"
    assert parser.parse_args(["paint", "x", "-oy"]).output == "y"
