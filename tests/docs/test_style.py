"""Words per page, length of sentences, words not used: a page may become shorter, and style.csv with it."""

import ast
import csv
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from support import ROOT

#: Of each page: the most words, words a sentence on average, percent of sentences above 35 words. The goal is
#: 26,000, 16 and 4 for all of them.
LIMITS = {
    row.pop("page"): {name: float(most) for name, most in row.items()}
    for row in csv.DictReader(Path(__file__).with_name("style.csv").open(encoding="utf-8"))
}
PAGES = [str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md"))]
NOT_USED = re.compile(r"\b(told apart|tell apart|anew|be had|mend(s|ed)?|ever later|whom)\b", re.IGNORECASE)


def sentences(text):
    """The words of each sentence of the prose: no code, formulas, tables, headings or addresses."""
    text = re.sub(r"^ *```.*?^ *```$|^ {4}.*?$|^[|<#].*?$|^---.*?^---$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for paragraph in re.split(r"\n\s*\n|\n *(?=(?:[-*]|\d+\.) )", text):
        for sentence in re.split(r"(?<=[.!?])[\"*)]*\s+(?=[\W_]*[A-Z0-9])", " ".join(paragraph.split())):
            if len(words := re.findall(r"[^\s]*\w[^\s]*", sentence)) > 2:
                yield words


@cache
def measured(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    lengths = [len(words) for words in sentences(text)] or [0]
    long = 100 * sum(n > 35 for n in lengths) / len(lengths)
    return {"words": len(text.split()), "mean": sum(lengths) / len(lengths), "long": long}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_within_its_limits(page):
    found, most = measured(page), LIMITS[page]
    over = {
        name: f"{value:.1f}, at most {most[name]:g}" for name, value in found.items() if value > most[name]
    }
    assert not over, f"{page}: {over}: shorten it, or raise tests/docs/style.csv, which is growth"


def test_every_limit_is_of_a_page_and_close_to_it():
    assert set(LIMITS) == set(PAGES)
    for page in PAGES:
        assert LIMITS[page]["words"] <= measured(page)["words"] + 50, f"{page}: lower its words in style.csv"


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", *PAGES])
def test_words_not_used(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not [match[0] for match in NOT_USED.finditer(" ".join(text.split()))]


#: First words of a docstring that leave its subject open.
HEADLESS = {"what", "whether", "how", "who", "whoever", "where", "when", "which"}
SOURCES = sorted(p for room in ("src", "studies", "workflow") for p in (ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("file", SOURCES, ids=[str(p.relative_to(ROOT)) for p in SOURCES])
def test_a_docstring_begins_with_what_a_newcomer_can_guess(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(n) or "." for n in ast.walk(tree) if isinstance(n, documented)]
    first = [text.splitlines()[0] for text in docstrings]
    assert not [line for line in first if line.split()[0].strip("`,:.").lower() in HEADLESS]
    assert not [line for line in first if line.startswith("Return what ")]
    assert not [match[0] for text in docstrings for match in NOT_USED.finditer(" ".join(text.split()))]


#: "X is no Y" takes a second reading where "X is not a Y" takes one. Of each room the most that are left.
IS_NO = re.compile(r"(?<!\bthere )\b(?:is|are) no (?!(?:longer|more|earlier|fewer)\b)\w+", re.IGNORECASE)
LEFT = {"attop": 6, "attop_bench": 34, "snakemake_logger_plugin_attop": 0}


def prose_of(source):
    """The docstrings and comments of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    yield from (ast.get_docstring(n) or "" for n in ast.walk(ast.parse(source)) if isinstance(n, documented))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("room", LEFT)
def test_what_a_thing_is_not_is_said_with_not(room):
    files = sorted((ROOT / "src" / room).rglob("*.py"))
    found = [
        f"{file.name}: {match[0]}"
        for file in files
        for text in prose_of(file.read_text(encoding="utf-8"))
        for match in IS_NO.finditer(" ".join(text.split()))
    ]
    assert len(found) <= LEFT[room], found


def test_prose_that_says_is_no_is_found():
    source = '"""It is no bound; there is no bound; it is no longer one."""\nx = 1  # they are no rows\n'
    assert [m[0] for text in prose_of(source) for m in IS_NO.finditer(text)] == ["is no bound", "are no rows"]
