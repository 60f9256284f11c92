"""An argument parser that names what it does not know and suggests the right word."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from segjt.cli.errors import BAD_INPUT
from segjt.fields import suggestion


class Parser(argparse.ArgumentParser):
    """A parser without abbreviations that suggests a command or an option for a mistyped one.

    Words are checked before argparse sees them: it would complain about missing arguments first, and it suggests
    nothing for options. From Python 3.14 on it suggests values itself.
    """

    def __init__(self, **settings: Any) -> None:
        self.known_options: list[str] = []
        self.commands: Any = None
        if sys.version_info >= (3, 14):
            settings["suggest_on_error"] = True
        super().__init__(allow_abbrev=False, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument, and remember its names for suggestions."""
        return self.remember(super().add_argument(*names, **settings))

    def remember(self, action: argparse.Action) -> argparse.Action:
        """Remember the names of an option for suggestions; needed for options that a group adds."""
        self.known_options += action.option_strings
        return action

    def add_subparsers(self, **settings: Any) -> Any:
        """Add commands, one of which must be given."""
        self.commands = super().add_subparsers(parser_class=Parser, required=True, **settings)
        return self.commands

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; any that is unknown ends the program with an error."""
        words = list(sys.argv[1:] if args is None else args)
        self.check_words(words)
        options, unknown = super().parse_known_args(words, namespace)
        for word in unknown:
            self.refuse(word)
        return options, unknown

    def check_words(self, words: Sequence[str]) -> None:
        """Exit with an error for the first unknown option or command."""
        for word in own_words(words, has_commands=self.commands is not None):
            # argparse takes a word with a space for a file name.
            if word.startswith("--") and " " not in word and word.split("=")[0] not in self.known_options:
                self.refuse(word)
            if not word.startswith("-") and self.commands is not None and word not in self.commands.choices:
                choices = list(self.commands.choices)
                self.error(f"unknown command {word!r}{suggestion(word, choices)}; choose from {', '.join(choices)}")

    def refuse(self, word: str) -> NoReturn:
        """Exit with an error for an unknown argument."""
        self.error(f"unknown argument {word!r}{suggestion(word.split('=')[0], self.known_options)}")

    def error(self, message: str) -> NoReturn:
        """Exit with an error and a pointer to the help."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}\nSee '{self.prog} --help'.\n")


def own_words(words: Sequence[str], has_commands: bool) -> Iterator[str]:
    """Yield the words that this parser must know itself: up to the command if it has any, and up to '--'."""
    for word in takewhile(lambda word: word != "--", words):
        yield word
        if has_commands and not word.startswith("-"):
            return
