"""Tables as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def encode_csv(lines: Iterable[Sequence[Any]]) -> bytes:
    """Return lines, the names of the columns first, as the content of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode(errors="backslashreplace")  # file names need not be valid text
