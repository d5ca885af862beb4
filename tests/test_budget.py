"""Content is at most what pyproject.toml allows: growth is a decision somebody writes down. Lines are free.

Content is counted in nodes of the syntax tree, which neither longer names nor shorter lines change.
"""

import ast
import subprocess
import tomllib
from collections import Counter
from functools import cache

import pytest

from support import ROOT

BUDGET = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["attop"]["budget"]

#: Patterns of git of the files each figure is about.
PARTS = {
    "src/attop": ["src/attop/*.py"],
    "src/attop_bench": ["src/attop_bench/*.py"],
    "outside tests": ["*.py", ":!tests/*"],
    "tests": ["tests/*.py"],
}

#: What makes a function take one of several ways.
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.ExceptHandler,
    ast.comprehension,
    ast.Assert,
    ast.match_case,
)


#: Words that say nothing of the thing they name.
NO_NOUNS = frozenset(
    [
        "about",
        "beside",
        "coming",
        "found",
        "given",
        "had",
        "having",
        "its",
        "kept",
        "known",
        "mine",
        "odd",
        "of",
        "own",
        "said",
        "such",
        "there",
    ]
)


def files_of(patterns):
    """Return the files that git lists for patterns."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=False
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    if listed.returncode or not names:
        pytest.skip("the files are listed by git, and this is no clone")
    return [ROOT / name for name in names if (ROOT / name).exists()]


def count_nodes(tree):
    """Return the number of nodes of a syntax tree."""
    return sum(1 for _ in ast.walk(tree))


@cache
def nodes_in(file):
    """Return the number of nodes of a file's syntax tree, which several parts count."""
    return count_nodes(ast.parse(file.read_bytes()))


def count_branches(function):
    """Return the number of branches of a function, of conditions inside expressions too."""
    nodes = list(ast.walk(function))
    operators = [node for node in nodes if isinstance(node, ast.BoolOp)]
    return sum(isinstance(node, BRANCHES) for node in nodes) + sum(len(node.values) - 1 for node in operators)


def functions_of(tree):
    """Return the functions of a module with their names, those of classes by the name of their class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{name}", function) for name, function in functions_of(node))


def name_bound(node):
    """Return the name of the variable, parameter or attribute that a node binds, if any."""
    if isinstance(node, ast.arg):
        return node.arg
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return ""
    return getattr(node, "id", "") or getattr(node, "attr", "")


def is_text_times_condition(node):
    """Return whether an expression multiplies a text or a list by something that is true or false."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    sides = (node.left, node.right)
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    is_text = any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )
    conditions = (ast.Compare, ast.BoolOp, ast.UnaryOp)
    return is_text and any(isinstance(side, conditions) for side in sides)


def records_of(nodes):
    """Return the names of the data classes and named tuples of more than five fields."""
    for node in nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        heads = [ast.unparse(head) for head in (*node.decorator_list, *node.bases)]
        fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
        if len(fields) > 5 and any("dataclass" in head or "NamedTuple" in head for head in heads):
            yield node.name


def made_by_position(nodes):
    """Return the names of what is called with more than five arguments by position."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        if len(node.args) > 5 or any(isinstance(argument, ast.Starred) for argument in node.args):
            yield getattr(node.func, "id", None)


def count_habits(trees):
    """Return how often modules do what takes a second reading. Each tree is forgotten before the next one."""
    records, made, names, texts = set(), Counter(), 0, 0
    for tree in trees:
        nodes = list(ast.walk(tree))
        records.update(records_of(nodes))
        made.update(made_by_position(nodes))
        names += sum(name_bound(node).strip("_") in NO_NOUNS for node in nodes)
        texts += sum(is_text_times_condition(node) for node in nodes)
    return {
        "names that are no nouns": names,
        "records built by position": sum(made[record] for record in records),
        "text times a condition": texts,
    }


@pytest.mark.parametrize("part", PARTS)
def test_content_is_within_the_budget(part):
    files = files_of(PARTS[part])
    nodes = sum(map(nodes_in, files))
    most = BUDGET["nodes"][part]
    assert nodes <= most, (
        f"{part} has {nodes:,} nodes of syntax trees, the budget allows {most:,}: take something away, "
        "or raise the figure in pyproject.toml, [tool.attop.budget.nodes], with the reason beside it"
    )
    assert set(BUDGET["nodes"]) == set(PARTS)


def test_the_script_of_the_page_is_within_the_budget():
    lines = sum(file.read_bytes().count(b"\n") for file in files_of(["*.js"]))
    assert lines <= BUDGET["js"]["lines"]


def test_no_function_has_more_branches_than_one_can_follow():
    most = BUDGET["branches"]["most"]
    branched = {
        f"{file.relative_to(ROOT / 'src').as_posix()}:{name}": count_branches(function)
        for file in files_of(["src/*.py"])
        for name, function in functions_of(ast.parse(file.read_bytes()))
    }
    many = {name: branches for name, branches in branched.items() if branches > most}
    allowed = set(BUDGET["branches"]["more"])
    assert not many.keys() - allowed, (
        f"functions of more than {most} branches, conditions inside expressions counted: split them"
    )
    assert not allowed - many.keys(), (
        "these have no more than that: take them off the list in pyproject.toml, [tool.attop.budget.branches]"
    )


@pytest.mark.parametrize(
    ("source", "branches"),
    [
        ("def f(x):\n    return x", 0),
        ("def f(x):\n    return 1 if x else 2", 1),
        ("def f(x):\n    return x and not x or x", 2),
        ("def f(x):\n    return [y for y in x if y for z in y]", 2),
        ("def f(x):\n    for y in x:\n        if y:\n            return y", 2),
        ("def f(x):\n    try:\n        g()\n    except ValueError:\n        assert x", 2),
    ],
)
def test_branches_are_counted_wherever_they_stand(source, branches):
    (_, function), *_ = functions_of(ast.parse(source))
    assert count_branches(function) == branches


def test_nodes_do_not_depend_on_the_layout():
    dense = "def f(x): return [y for y in x if y]"
    airy = "def f(\n    x,\n):\n    return [\n        y\n        for y in x\n        if y\n    ]\n"
    assert count_nodes(ast.parse(dense)) == count_nodes(ast.parse(airy))


def test_habits_that_take_a_second_reading_do_not_spread():
    counts = count_habits(ast.parse(file.read_bytes()) for file in files_of(["src/*.py"]))
    assert counts.keys() == BUDGET["habits"].keys()
    for habit, most in BUDGET["habits"].items():
        assert counts[habit] <= most, f"{habit}: {counts[habit]}, the budget allows {most}"


@pytest.mark.parametrize(
    ("source", "habit", "count"),
    [
        ("its = 1\nx.own = 2\ndef f(given, name): pass", "names that are no nouns", 3),
        ("print(its)", "names that are no nouns", 0),
        ("f'{a}' * (b > 1) + [c] * (not d) + 'e' * 3", "text times a condition", 2),
        ("n * (b > 1)", "text times a condition", 0),
        ("R(1, 2, 3, 4, 5, 6)\nR(*row)\nR(1, b=2)", "records built by position", 2),
    ],
)
def test_habits_are_counted(source, habit, count):
    record = "@dataclass\nclass R:\n" + "".join(f"    {name}: int\n" for name in "abcdef")
    assert count_habits([ast.parse(record + source)])[habit] == count
