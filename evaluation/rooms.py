"""Which rooms of segjt an image passes through, and in which order: `python -m segjt.evaluation.rooms IMAGE`.

A room is a folder of segjt, such as `superpixels`. It is entered by a call from outside into one of its functions. The
command line, the pipeline, images, labels and `runtime` are not rooms but the corridor between them. Checking settings
and looking up names in a registry is not part of the path.
"""

from __future__ import annotations

import argparse
import functools
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import segjt
from segjt.cli.entry import main as segjt_main

PACKAGE = Path(segjt.__file__).parent
CORRIDOR = ("cli", "runtime", "learn", "evaluation", "datasets")
SETTINGS = ("parameters.py", "fields.py")
HIDDEN = "hidden"
# Names of functions that are printed of a visit.
SHOWN = 4


@dataclass
class Visit:
    """A stay in a room: how often it was entered in a row, by calls to which functions, and the rooms entered there."""

    room: str
    entries: int = 0
    functions: list[str] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)

    def enter(self, room: str, function: str, in_order: bool) -> Visit:
        """Return the visit of a room from here: an earlier visit of that room is continued, else a new one begins.

        `in_order` continues only the latest visit. Threads alternate between blocks, so among them any is continued.
        """
        alike = [visit for visit in (self.visits[-1:] if in_order else self.visits) if visit.room == room]
        if not alike:
            alike = [Visit(room)]
            self.visits += alike
        alike[0].entries += 1
        if function not in alike[0].functions:
            alike[0].functions.append(function)
        return alike[0]

    def lines(self, indent: str = "") -> Iterator[str]:
        """Yield the visit and those within, one per line and indented."""
        times = f" ({self.entries} times)" if self.entries > 1 else ""
        more = ", ..." if len(self.functions) > SHOWN else ""
        yield f"{indent}{self.room}{times}: {', '.join(self.functions[:SHOWN])}{more}"
        for visit in self.visits:
            yield from visit.lines(indent + "    ")


class Tracer:
    """Follows the calls of a program from room to room; a thread is in the room that the main thread is waiting in."""

    def __init__(self) -> None:
        self.outside = Visit("outside")
        self.lock = threading.Lock()
        self.main: list[Visit] = [self.outside]
        self.stacks = threading.local()

    def run(self, function: Callable[[], Any]) -> Any:
        """Call a function and follow it."""
        self.stacks.visits = self.main
        threading.setprofile(self.on_event)
        sys.setprofile(self.on_event)
        try:
            return function()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def on_event(self, frame: FrameType, event: str, argument: object) -> None:
        """Push the visit that a call is part of, and pop it on return; `sys.setprofile` calls this."""
        if event not in ("call", "return"):
            return
        stack = vars(self.stacks).setdefault("visits", [])
        if event == "return":
            if len(stack) > (stack is self.main):
                stack.pop()
            return
        here = stack[-1] if stack else self.main[-1]
        room = room_of(frame.f_code.co_filename)
        if here.room == HIDDEN or room is None or room == here.room:
            stack.append(here)
        elif room == HIDDEN or is_lookup(frame.f_code) or frame.f_code.co_name == "<module>":
            stack.append(Visit(HIDDEN))
        else:
            with self.lock:
                stack.append(here.enter(room, frame.f_code.co_qualname, in_order=here is self.outside))


@functools.cache
def room_of(file: str) -> str | None:
    """Return the room of a source file, HIDDEN for settings, None for the corridor and other libraries."""
    path = Path(file)
    if not path.is_relative_to(PACKAGE):
        return None
    first = path.relative_to(PACKAGE).parts[0]
    if first in SETTINGS:
        return HIDDEN
    return None if first in CORRIDOR or first.endswith(".py") else first


def is_lookup(code: CodeType) -> bool:
    """Tell what looks things up in a registry from the closures that are listed there."""
    return Path(code.co_filename).name == "registry.py" and "<locals>" not in code.co_qualname


def trace(image: str, *options: str) -> list[Visit]:
    """Return the visits of `segjt segment IMAGE`, in order, with those of other rooms within them.

    A first run, which is not followed, imports and compiles everything.
    """
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as folder:
        command = ["segment", image, "-o", folder, "--overwrite", "--quiet", *options]
        code = segjt_main(command) or tracer.run(functools.partial(segjt_main, command))
    if code:
        raise SystemExit(code)
    return tracer.outside.visits


def main() -> None:
    """Print the visits of the image on the command line."""
    parser = argparse.ArgumentParser(prog="python -m segjt.evaluation.rooms", description=__doc__)
    parser.add_argument("image", metavar="IMAGE", help="file that `segjt segment` reads")
    for visit in trace(parser.parse_args().image):
        print(*visit.lines(), sep="\n")


if __name__ == "__main__":
    main()
