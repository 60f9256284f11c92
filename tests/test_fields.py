import dataclasses

import numpy as np
import pytest

from segjt.fields import Field, check_fields, field, fields_of, suggestion


@dataclasses.dataclass(frozen=True)
class Example:
    count: int = field(3, "how many", int, low=1, high=9)
    width: float = field(0.5, "how wide", float, low=0.01)
    mode: str = field("fast", "which way", str, words=lambda: ["fast", "best"])
    limit: int | None = field(None, "at most", int, low=1, optional=True)
    number: int | str = field("auto", "how many, or auto", int, low=1, words=lambda: ["auto"])

    def __post_init__(self):
        check_fields(self)


def test_values_become_plain_python():
    example = Example(count=np.int64(4), width=np.float32(0.25), limit=np.uint8(7))
    assert (type(example.count), type(example.width), type(example.limit)) == (int, float, int)
    assert (example.count, example.width, example.limit) == (4, 0.25, 7)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"count": 0}, ValueError, ["count = 0", "whole number from 1 to 9"]),
        ({"count": 10**400}, ValueError, ["is out of range", "from 1 to 9"]),
        ({"count": 10}, ValueError, ["count = 10", "from 1 to 9"]),
        ({"count": 2.5}, TypeError, ["count = 2.5", "whole number"]),
        ({"count": True}, TypeError, ["count = True"]),
        ({"count": "3"}, TypeError, ["count = '3'"]),
        ({"width": 0}, ValueError, ["width = 0", "at least 0.01"]),
        ({"width": float("nan")}, ValueError, ["width = nan"]),
        ({"width": float("inf")}, ValueError, ["width = inf"]),
        ({"width": None}, TypeError, ["width = None"]),
        ({"mode": "fats"}, ValueError, ["mode = 'fats'", "did you mean 'fast'", "fast, best"]),
        ({"mode": 3}, TypeError, ["mode = 3", "fast, best"]),
        ({"limit": 0}, ValueError, ["limit = 0", "at least 1"]),
        ({"number": "many"}, TypeError, ["number = 'many'", "'auto'"]),
    ],
)
def test_errors_name_value_range_and_remedy(change, error, words):
    with pytest.raises(error) as caught:
        Example(**change)
    for word in words:
        assert word in str(caught.value)


def test_parse_takes_what_a_command_line_gives():
    fields = fields_of(Example)
    assert fields["count"].parse("count", "7") == 7
    assert fields["width"].parse("width", "2e-2") == 0.02
    assert fields["mode"].parse("mode", "best") == "best"
    assert fields["number"].parse("number", "auto") == "auto"
    assert fields["number"].parse("number", "12") == 12
    with pytest.raises(ValueError, match=r"count = 'x' is not valid; give a whole number from 1 to 9"):
        fields["count"].parse("count", "x")
    with pytest.raises(ValueError, match=r"count = 11 is out of range"):
        fields["count"].parse("count", "11")


def test_suggestion_is_empty_when_nothing_is_close():
    assert suggestion("zzz", ["fast", "best"]) == ""
    assert "'best'" in suggestion("bst", ["fast", "best"])


def test_unbounded_number():
    assert Field("any", float).range_text() == "a number"


def test_names_of_one_letter_have_errors_that_name_the_range():
    with pytest.raises(ValueError, match=r"n = 'abc' is not valid; give a whole number of at least 2"):
        Field("number of points", int, low=2).parse("n", "abc")
