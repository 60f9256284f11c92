"""A setting: a dataclass field that carries its doc line, its valid range and the error for a wrong value.

`Parameters` and every kernel declare their settings with `field`; the command line, the config file, the help texts and
the error messages are all read off these declarations. Hand-written: importing pydantic alone takes 3 times as long as
all of `segjt --help`, and its errors do not name the remedy.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def nothing_else(value: Any) -> bool:
    """Accept no values other than numbers and words."""
    return False


@dataclasses.dataclass(frozen=True)
class Field:
    """What is known about one setting.

    Attributes
    ----------
    doc : str
        One line that says what it does.
    kind : type
        `int`, `float` or `str`.
    low, high : float or None
        Inclusive bounds of a number.
    words : callable
        Words that are valid as well (for `str`: the only valid ones).
    optional : bool
        Whether None is valid.
    accepts : callable
        Tells whether a value that is neither a number nor a word is valid.
    accepted : str
        What such values are called.
    """

    doc: str
    kind: type
    low: float | None = None
    high: float | None = None
    words: Callable[[], Iterable[str]] = tuple
    optional: bool = False
    accepts: Callable[[Any], bool] = nothing_else
    accepted: str = ""

    def range_text(self) -> str:
        """Return the valid values in words, for help texts and errors."""
        parts = [repr(word) for word in self.words()] if self.kind is not str else list(self.words())
        if self.kind is not str:
            noun = "a whole number" if self.kind is int else "a number"
            if self.low is not None and self.high is not None:
                span = f"{noun} from {number_text(self.low)} to {number_text(self.high)}"
            elif self.low is not None:
                span = f"{noun} of at least {number_text(self.low)}"
            else:
                span = noun
            parts.append(span)
        return " or ".join(parts) if self.kind is not str else ", ".join(parts)

    def limits(self) -> list[str]:
        """Return the valid values in words, if there are others that are not valid."""
        text = self.range_text()
        return [] if text in ("a number", "a whole number") else [text]

    def check(self, name: str, value: Any) -> Any:
        """Return `value` as a plain Python value, or raise an error that names value, range and remedy."""
        if value is None and self.optional:
            return None
        if (isinstance(value, str) and value in self.words()) or self.accepts(value):
            return value
        if self.kind is str:
            if not isinstance(value, str):
                raise TypeError(f"{name} = {value!r} is not a name; choose one of {self.range_text()}")
            raise ValueError(
                f"{name} = {value!r} is unknown{suggestion(value, self.words())}; choose one of {self.range_text()}"
            )
        return self._check_number(name, value)

    def _check_number(self, name: str, value: Any) -> int | float | str:
        wrong_type = TypeError(f"{name} = {value!r} is not valid; give {self.range_text()}")
        if isinstance(value, (bool, str)):
            raise wrong_type
        number: int | float
        try:
            number = operator.index(value) if self.kind is int else float(value)
        except (TypeError, ValueError):
            raise wrong_type from None
        too_low = self.low is not None and number < self.low
        too_high = self.high is not None and number > self.high
        if number == math.inf and "inf" in self.words():
            return "inf"  # a word, because JSON has no infinity
        if (isinstance(number, float) and not math.isfinite(number)) or too_low or too_high:
            raise ValueError(f"{name} = {value!r} is out of range; give {self.range_text()}")
        return number

    def parse(self, name: str, text: str) -> Any:
        """Return the value that `text`, from a command line, stands for."""
        if self.kind is str or text in self.words():
            return self.check(name, text)
        try:
            number = self.kind(text)
        except ValueError:
            raise ValueError(f"{name} = {text!r} is not valid; give {self.range_text()}") from None
        return self.check(name, number)


def field(default: Any, doc: str, kind: type, **limits: Any) -> Any:
    """Declare a dataclass field that `fields_of` and `check_fields` understand."""
    return dataclasses.field(default=default, metadata={"field": Field(doc, kind, **limits)})


def fields_of(owner: Any) -> dict[str, Field]:
    """Return the fields of a dataclass, or of an instance of one, by name."""
    return {field.name: field.metadata["field"] for field in own_fields(owner)}


def check_fields(instance: Any) -> None:
    """Check every field of a frozen dataclass instance and store plain Python values."""
    for name, declared in fields_of(instance).items():
        object.__setattr__(instance, name, declared.check(name, getattr(instance, name)))


def documented(cls: Class) -> Class:
    """Add the fields of a dataclass, with their ranges and defaults, to its docstring: a class decorator."""
    entries = described({field.name: (field.default, field.metadata["field"]) for field in own_fields(cls)})
    summary, _, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")
    section = "\n".join(["Parameters", "----------", *entries])
    cls.__doc__ = f"{summary}\n\n{section}\n\n{rest}".rstrip() + "\n"
    return cls


def own_fields(owner: Any) -> list[dataclasses.Field[Any]]:
    """Return the dataclass fields that were declared with `field`."""
    return [field for field in dataclasses.fields(owner) if "field" in field.metadata]


def described(declared: Mapping[str, tuple[Any, Field]]) -> list[str]:
    """Return the numpydoc entries of fields, which are given by name with their defaults."""
    entries = []
    for name, (default, field) in declared.items():
        kind = " or ".join([field.kind.__name__, *([field.accepted] if field.accepted else [])])
        entries.append(f"{name} : {kind}, default {default!r}\n    {'; '.join([field.doc, *field.limits()])}")
    return entries


def suggestion(word: str, choices: Iterable[str]) -> str:
    """Return ' (did you mean ...?)' for the nearest choice, or nothing."""
    close = difflib.get_close_matches(word, list(choices), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def number_text(number: float) -> str:
    """Return a bound as people write it."""
    return str(number) if isinstance(number, int) else f"{number:g}"
