"""Which sources a module runs, on a package of our own making that stands in for segjt."""

import sys

import pytest

from segjt.evaluation import sources

PACKAGE = {
    "__init__.py": """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from toy.never import Type
EXPORTS = {"Exported": "toy.exported", "Other": "by_word"}
""",
    "start.py": """
import json
import toy.absolute
from toy import submodule
from toy.parent.inside import value
from . import beside
from .parent.relative import other
def later():
    import numpy.linalg
    from toy.in_function import value
""",
    "absolute.py": "import toy.chain",
    "chain.py": "import toy.absolute",
    "submodule.py": "",
    "beside.py": "",
    "in_function.py": """
import typing
if typing.TYPE_CHECKING:
    import toy.never
else:
    import toy.otherwise
""",
    "otherwise.py": "",
    "never.py": "",
    "exported.py": "",
    "by_word.py": "",
    "asks_the_package.py": "from toy import Exported",
    "parent/__init__.py": "from toy.parent import registry",
    "parent/inside.py": "value = 'registry never module.txt a sentence about never'",
    "parent/relative.py": "from ..submodule import x",
    "parent/registry.py": "KINDS = {'one': 'member.Class', 'two': 'toy.by_word:function', 'three': 'toy.nowhere'}",
    "parent/member.py": "",
    "parent/outside.py": "",
    "lazy/__init__.py": "import lazy_loader; lazy_loader.attach(__name__, submod_attrs={'exported': ['Name']})",
    "lazy/exported.py": "",
    "asks_lazily.py": "from toy.lazy import Name",
}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package `toy`, whose files the function that it returns can change."""
    for name, text in PACKAGE.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "toy", raising=False)
    monkeypatch.setattr(sources, "ROOT", "toy")

    def write(name, text):
        (tmp_path / "toy" / name).write_text(text)
        sources.source_of.cache_clear()
        sources.file_of.cache_clear()

    yield write
    sources.source_of.cache_clear()
    sources.file_of.cache_clear()


def names(*modules):
    return {module.removeprefix("toy.") for module in sources.sources_of([f"toy.{module}" for module in modules])}


def test_imports_are_followed_wherever_they_stand(toy):
    expected = {"toy", "start", "absolute", "chain", "submodule", "beside", "in_function", "otherwise"}
    assert names("start") == expected | {"parent", "parent.inside", "parent.relative"}


def test_a_package_is_followed_for_those_who_import_from_it(toy):
    assert names("parent.inside") == {"toy", "parent", "parent.inside"}
    assert names("parent") == {"toy", "parent", "parent.registry", "parent.member", "by_word"}
    assert names("asks_lazily") == {"toy", "asks_lazily", "lazy", "lazy.exported"}
    assert names("asks_the_package") == {"toy", "asks_the_package", "exported", "by_word"}


def test_libraries(toy):
    assert sources.source_of("toy.start").libraries == {"numpy"}


def test_code_counts_and_comments_do_not(toy):
    toy("start.py", "x = 1\n")
    first = sources.source_of("toy.start").digest
    toy("start.py", "x   =  1  # one\n")
    assert sources.source_of("toy.start").digest == first
    toy("start.py", "x = 2\n")
    assert sources.source_of("toy.start").digest != first


def test_a_module_that_does_not_exist(toy):
    with pytest.raises(ModuleNotFoundError, match=r"toy\.nothing: there is no such module"):
        sources.sources_of(["toy.nothing"])
