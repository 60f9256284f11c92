"""CSV files, read back with the standard library."""

import csv

from segjt.io import encode_csv


def test_what_is_written_is_read_again():
    lines = [["file", "segments"], ["a, b.png", 3], ['"c"\n.png', None]]
    read = list(csv.reader(encode_csv(lines).decode().splitlines(keepends=True)))
    assert read == [["file", "segments"], ["a, b.png", "3"], ['"c"\n.png', ""]]


def test_names_that_are_not_text():
    assert encode_csv([["\udcff.png"]]) == b"\\udcff.png\n"
