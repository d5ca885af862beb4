"""The first line of a docstring says what is computed or decided: that it is returned, the signature says."""

import ast

import pytest

from support import ROOT

#: Rooms whose docstrings were rewritten, and the most of a hundred that may still begin so.
ROOMS = ["attop_bench/run", "attop_bench/report", "attop_bench/jobs", "attop_bench/papers", "attop_bench/cli"]
MOST = 5


def first_words(source):
    """The first word of each docstring of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, documented))
    return [text.split()[0] for text in map(ast.get_docstring, nodes) if text]


@pytest.mark.parametrize("room", [*ROOMS, "snakemake_logger_plugin_attop"])
def test_few_docstrings_begin_with_return(room):
    files = (ROOT / "src" / room).rglob("*.py")
    words = [word for file in files for word in first_words(file.read_text(encoding="utf-8"))]
    assert 100 * words.count("Return") <= MOST * len(words), f"{words.count('Return')} of {len(words)}"


def test_first_words_are_those_of_modules_classes_and_functions():
    source = '"""One."""\nclass A:\n    """Two words."""\n    def f(self):\n        """Return it."""\n'
    assert first_words(source) == ["One.", "Two", "Return"]
