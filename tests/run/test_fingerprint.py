"""Fingerprints of code: the edits that make results out of date, and those that do not."""

import ast
import importlib
import json
import sys
from functools import cache
from pathlib import Path

import pytest

from attop_bench.run import fingerprint as fingerprints
from attop_bench.run import syntax
from attop_bench.run.fingerprint import content_digest, fingerprint, home_of, rule_fingerprint
from attop_bench.run.job import COMPILE, WORK
from support import ROOT
from support.fingerprints import forget

SCRIPTS = sorted((ROOT / "workflow" / "scripts").glob("*.py"))
PUSH = {"PNormPush"}
ALL = {"AATP", "GDPApK", "SGDAtK", *PUSH}
WHO = {
    **{name: [home_of(f"attop.{name}")] for name in ALL},
    "evaluation of pap@k": ["attop_bench.run.evaluation", "attop.metrics._pap"],
    "evaluation of tpr@fpr": ["attop_bench.run.evaluation", "attop.metrics._operating_point"],
    "training": ["attop_bench.run.training"],
    "report": ["attop_bench.report.page.report"],
}


FILES = {
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted((ROOT / "src").glob("attop*/**/*.py"))
}


def closure(*modules):
    """Return all modules that a fingerprint of `modules` covers."""
    seen, todo = set(), list(modules)
    while todo:
        if (name := todo.pop()) not in seen and fingerprints._module(name)[0]:
            seen.add(name)
            todo += fingerprints._module(name)[1]
    return seen


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("attop.from_papers.push._coordinate_descent", PUSH),
        ("attop.solvers._gradient_descent", {"GDPApK", *PUSH}),
        ("attop.from_papers.aatp._box_qp", {"AATP"}),
        ("attop.from_papers.aatp._aatp", {"AATP"}),
        ("attop.surrogates._kernels.k_largest", {"GDPApK", "SGDAtK"}),
        ("attop.metrics._pap", {"evaluation of pap@k"}),
        ("attop.metrics._operating_point", {"evaluation of tpr@fpr"}),
        ("attop.metrics._registry", set()),
        ("attop_bench.data.kinds.images", set()),
        ("attop_bench.data.splits.protocols", {"report"}),
        ("attop_bench.report.figures.curves", {"report"}),
        ("attop.learners._base", {*ALL, "training"}),
        ("attop_bench.cli.main", set()),
    ],
)
def test_an_edit_counts_for_what_imports_the_module(module, expected):
    assert module in FILES
    assert {name for name, roots in WHO.items() if module in closure(*roots)} == expected


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("attop.metrics._pap", "studies.papk2020.baselines.GreedyPApK"),  # which it chooses by
        ("attop.metrics._pap", "studies.papk2020.baselines.SelectPApK"),
        ("attop.surrogates._kernels.pap_at_k", "attop.surrogates._pap_at_k"),  # imported in a method
        ("attop.surrogates._threshold", "attop.BundleRanker"),  # chosen by name
    ],
)
def test_what_is_imported_late_or_named_counts(module, path):
    assert module in closure(home_of(path))


@pytest.mark.parametrize("path", [WORK, COMPILE])
def test_functions_named_by_their_path_are_there(path):
    module, _, function = path.rpartition(".")
    assert home_of(path) == module
    assert callable(getattr(importlib.import_module(module), function))


def test_a_name_is_imported_from_where_it_is_defined_or_by_a_stub_that_says_where():
    """Else an edit of whatever the package exports would count."""
    inner = [file for file in FILES.values() if file.name != "__init__.py"]
    assert not [line for file in (*SCRIPTS, *inner) for line in from_packages(file)]


def from_packages(file):
    """Names that come from a package which imports them, without a stub; within the library also with one."""
    within = Path(file).is_relative_to(ROOT / "src/attop")
    for node in imports(file):
        if FILES.get(node.module, file).name == "__init__.py":
            exported = {alias.name for line in imports(FILES[node.module]) for alias in line.names}
            if within:
                exported |= fingerprints._exports(node.module).keys()
            for alias in node.names:
                if alias.name in exported and f"{node.module}.{alias.name}" not in FILES:
                    yield f"{file}:{node.lineno}: {node.module}.{alias.name}"


@cache
def imports(file):
    with open(file, encoding="utf-8") as text:
        return [node for node in ast.walk(ast.parse(text.read())) if isinstance(node, ast.ImportFrom)]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Files of a user, on the path of modules; call it for the fingerprint after writing to one of them."""
    monkeypatch.syspath_prepend(tmp_path)

    def written(file="own.py", text="", module="own"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        forget()
        return fingerprint([home_of(module)])

    yield written
    forget()


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("def f(x): return x  # C", False),
        ('"""A."""\ndef f(x):\n    """B."""\n    return x', False),
        ("if TYPE_CHECKING:\n    import own_helper\ndef f(x): return x", False),
        ("def f(x): return -x", True),
    ],
)
def test_comments_docstrings_types_and_layout_do_not_count(package, text, counts):
    before = package(text="def f(x):\n    return x", module="own.f")
    assert (package(text=text, module="own.f") != before) == counts


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("import own_helper", "own_helper.py"),
        ("from own_helper import score", "own_helper.py"),
        ("from own_package import inner", "own_package/inner.py"),
        ("from own_package import score", "own_package/__init__.py"),
        ("import own_package.two", "own_package/two.py"),
        ("import own_package.two", "own_package/inner.py"),
        ("import own_package.two", "own_package/printed.csv"),
        ("import own_package.two", "own_package/numbers/of/one.csv"),
        ("FILE = 'weights.npz'", "weights.npz"),
    ],
)
def test_what_a_module_of_the_user_imports_or_names_counts(package, line, file):
    package("own_package/__init__.py")
    package("own_package/two.py", "from .inner import *\nDATA = 'printed.csv', 'numbers'")
    package(text=f"import json, numpy\nfrom attop import SoftTop\n{line}")
    before = package(file, "x = 1")
    assert package("unrelated.py", "x = 1") == package("other/printed.csv", "x = 1") == before
    assert package(file, "x = 2") != before == package(file, "x = 1")
    assert "attop.learners.soft_top._soft_top" in closure("own")


@pytest.mark.parametrize(
    "line",
    [
        "import importlib\nhelper = importlib.import_module('own_helper')",
        "from importlib import import_module as load\nhelper = load(name='own_helper')",
        "helper = __import__('own_helper')",
        "HELPERS = {'a': 'own_helper.score'}",
        "import pydoc\nscore = pydoc.locate('own_helper.score')",
    ],
)
def test_a_module_that_a_text_names_counts(package, line):
    package(text=line)
    before = package("own_helper.py", "from own_inner import x")
    within = package("own_inner.py", "x = 1")
    assert len({before, within, package("own_inner.py", "x = 2")}) == 3


def test_a_module_that_a_text_names_from_its_package_counts(package):
    package("own_package/__init__.py")
    line = "import importlib\nhelper = importlib.import_module('.helper', __package__)"
    package("own_package/two.py", line)
    before = package("own_package/helper.py", "x = 1", module="own_package.two")
    assert package("own_package/helper.py", "x = 2", module="own_package.two") != before


@pytest.mark.parametrize("name", ["statistics", "queue", "numpy", "stat"])
def test_a_helper_called_like_a_module_of_python_counts(package, monkeypatch, tmp_path, name):
    """The user's file may put its folder first in the path: here it is first, or the last."""
    for first in (True, False):
        package(text=f"import {name}")
        if not first:
            monkeypatch.setattr(sys, "path", [*(p for p in sys.path if p != str(tmp_path)), str(tmp_path)])
        before = package(f"{name}.py", "x = 1")
        assert package(f"{name}.py", "x = 2") != before
        assert package("time.py", "x = 2") == package("time.py", "x = 1")  # that of Python always comes first


def test_a_digest_of_data_is_that_of_names_and_content(tmp_path):
    def digest(*names, text="x"):
        folder = tmp_path / "-".join(names)
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return content_digest(folder)

    assert len({digest("a"), digest("b"), digest("a", "b"), digest("c/a")}) == 4
    assert content_digest(tmp_path / "a" / "a") == content_digest(tmp_path / "b" / "b")
    before = content_digest(tmp_path / "a")
    assert digest("a", text="other") != before == digest("a")


def test_a_folder_beside_a_file_of_the_user_may_be_anything(package):
    before = package(text="FOLDER = 'results'")
    assert package("results/report.html", "made") == before


def test_compiled_code_does_not_count(package):
    package("own_package/__init__.py")
    before = package("own_package/two.py", "CACHE = '__pycache__'", module="own_package.two")
    assert package("own_package/__pycache__/two.pyc", "compiled", module="own_package.two") == before


def test_installed_modules_do_not_count():
    assert fingerprint([home_of("sklearn.svm.LinearSVC")]) == fingerprint(["sklearn.linear_model"])


def test_what_was_read_is_kept_until_a_file_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read, seen = syntax.read, []
    monkeypatch.setattr(syntax, "read", lambda *given: seen.append(given) or read(*given))

    def ask():
        forget()
        seen.clear()
        return fingerprint(["attop.from_papers.push._pnorm_push"]), len(seen) > 0

    digest, anything_read = ask()
    assert anything_read
    assert ask() == (digest, False)
    kept = tmp_path / fingerprints._CACHE
    of_this, code = json.loads(kept.read_text())
    older = {file: [[0, 0], *read[1:]] for file, read in code.items()}
    for damaged in (["of another reader", code], [of_this, older], {}, "none"):
        kept.write_text(json.dumps(damaged))
        assert ask() == (digest, True)
    forget()


@pytest.mark.parametrize(
    ("script", "module"),
    [
        ("split", "attop_bench.data.splits.protocols"),
        ("trace", "attop._core.top"),
        ("evaluate", "attop.metrics._custom"),
        ("fetch", "attop_bench.data.files.fetch"),
        ("report", "attop_bench.run.manifest"),
    ],
)
def test_what_a_script_imports_counts(script, module):
    content = syntax.read(ROOT / f"workflow/scripts/{script}.py", "")
    assert module in closure(*map(home_of, content.imported))


@pytest.mark.parametrize("script", ["fetch", "prepare", "split"])
@pytest.mark.parametrize("module", ["record", "took", "plan", "resources"])
def test_that_scripts_measure_themselves_makes_no_data_depend_on_more_code(script, module):
    content = syntax.read(ROOT / f"workflow/scripts/{script}.py", "")
    names = closure(*map(home_of, content.imported))
    assert "attop_bench.run.use" in names
    assert f"attop_bench.run.{module}" not in names


def test_a_script_without_code_of_attop_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no script"):
        rule_fingerprint(tmp_path / "none.py")
    (tmp_path / "alone.py").write_text("import json\n")
    with pytest.raises(ValueError, match="imports nothing of attop"):
        rule_fingerprint(tmp_path / "alone.py")
