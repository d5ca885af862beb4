"""Fingerprints of code: the edits that make results out of date, and those that do not."""

import ast
import json
import subprocess
import sys
from functools import cache

import pytest

from attop_bench.run import fingerprint as fingerprints
from attop_bench.run.fingerprint import fingerprint, home_of, rule_fingerprint
from support import ROOT

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


def closure(*modules):
    """Return all modules that a fingerprint of `modules` covers."""
    seen, todo = set(), list(modules)
    while todo:
        if (name := todo.pop()) not in seen:
            seen.add(name)
            todo += fingerprints._code().get(name, ("", []))[1]
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
    assert module in fingerprints._files()
    assert {name for name, roots in WHO.items() if module in closure(*roots)} == expected


@pytest.mark.parametrize("method", ["GreedyPApK", "SelectPApK"])
def test_the_metric_a_method_chooses_by_counts(method):
    assert "attop.metrics._pap" in closure(home_of(f"attop.{method}"))


def test_kernels_imported_in_a_method_count():
    assert "attop.surrogates._kernels.pap_at_k" in closure("attop.surrogates._pap_at_k")


def test_a_surrogate_chosen_by_name_counts():
    assert "attop.surrogates._threshold" in closure(home_of("attop.BundleRanker"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[s.stem for s in SCRIPTS])
def test_modules_import_from_where_a_name_is_defined(script):
    """Else an edit of whatever the package exports would count."""
    assert not list(from_packages(script))


PROGRAMS = ("studies.claims.", "studies.gains.")


def test_modules_of_attop_import_from_where_a_name_is_defined():
    # Programs of the studies are run by hand, by no rule.
    files = {m: f for m, f in fingerprints._files().items() if not m.startswith(PROGRAMS)}
    inner = [file for file in files.values() if not file.endswith("__init__.py")]
    assert not [line for file in inner for line in from_packages(file)]


def from_packages(file):
    files = fingerprints._files()
    for node in imports(file):
        if files.get(node.module, "").endswith("__init__.py"):
            exported = {alias.name for line in imports(files[node.module]) for alias in line.names}
            exported |= fingerprints._exports(node.module).keys()
            for alias in node.names:
                if alias.name in exported and f"{node.module}.{alias.name}" not in files:
                    yield f"{file}:{node.lineno}: {node.module}.{alias.name}"


@cache
def imports(file):
    with open(file, encoding="utf-8") as text:
        return [node for node in ast.walk(ast.parse(text.read())) if isinstance(node, ast.ImportFrom)]


def edited(text):
    return fingerprints._digest(ast.parse(text))


def test_comments_docstrings_and_layout_do_not_count():
    assert edited('"""A."""\ndef f(x):\n    """B."""\n    return x') == edited("def f(x): return x  # C")
    assert edited("x = 1") != edited("x = 2")


def test_a_module_of_the_user_counts_by_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    taken = []
    for text in ("class Mine: pass", "class Mine: x = 1", "class Mine: x = 1  # one"):
        (tmp_path / "mine_for_fingerprint.py").write_text(text)
        fingerprints._fingerprint.cache_clear()
        taken.append(fingerprint([home_of("mine_for_fingerprint.Mine")]))
    assert taken[0] != taken[1] == taken[2]


@pytest.mark.parametrize(
    "line",
    [
        "import own_helper",
        "from own_helper import score",
        "from own_package import inner",
        "import own_package.two",
    ],
)
def test_what_a_module_of_the_user_imports_counts(line, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own.py").write_text(
        f"import json, numpy\nfrom attop import SoftTop\n{line}\nclass Mine: pass"
    )
    files = ("own_helper.py", "own_package/__init__.py", "own_package/inner.py", "own_package/two.py")
    taken = []
    for sign in ("", "-"):
        (tmp_path / "unrelated.py").write_text(f"x = {sign}1")
        for file in files:
            text = "from .inner import *" if file.endswith("two.py") else f"def score(s): return {sign}s"
            (tmp_path / file).write_text(text)
        fingerprints._fingerprint.cache_clear()
        taken.append(fingerprint(["own"]))
    assert taken[0] != taken[1]
    assert "attop.learners.soft_top._soft_top" in fingerprints._foreign("own")[1]


def test_installed_modules_do_not_count():
    assert fingerprint([home_of("sklearn.svm.LinearSVC")]) == fingerprint(["sklearn.linear_model"])


def test_what_was_read_is_kept_until_a_file_changes(tmp_path):
    script = (
        "from attop_bench.run import fingerprint as f\n"
        "read, seen = f._read, []\n"
        "f._read = lambda: seen.append(1) or read()\n"
        "print(f.fingerprint(['attop.from_papers.push._pnorm_push']), len(seen))\n"
    )

    def ask():
        command = [sys.executable, "-c", script]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=tmp_path
        ).stdout.split()

    digest, read = ask()
    assert read == "1"
    assert ask() == [digest, "0"]
    kept = tmp_path / fingerprints._CACHE
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "state": "of other files"}))
    assert ask() == [digest, "1"]
    kept.write_text("[1]")
    assert ask() == [digest, "1"]


@pytest.mark.parametrize(
    ("script", "module"),
    [
        ("split", "attop_bench.data.splits.protocols"),
        ("trace", "attop._core.top"),
        ("check", "attop_bench.run.checks"),
        ("evaluate", "attop.metrics._custom"),
        ("fetch", "attop_bench.data.fetch"),
        ("report", "attop_bench.run.manifest"),
    ],
)
def test_what_a_script_imports_counts(script, module):
    assert module in closure(*fingerprints._script(ROOT / f"workflow/scripts/{script}.py")[1])


def test_a_script_without_code_of_attop_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no script"):
        rule_fingerprint(tmp_path / "none.py")
    (tmp_path / "alone.py").write_text("import json\n")
    with pytest.raises(ValueError, match="imports nothing of attop"):
        rule_fingerprint(tmp_path / "alone.py")
