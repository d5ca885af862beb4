"""Fingerprints of code: the edits that make results out of date, and those that do not."""

import ast
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attop_bench.run import fingerprint as fingerprints
from attop_bench.run.fingerprint import fingerprint, home_of, rule_fingerprint
from support import ROOT

ESTIMATORS = {
    name: f"attop.estimators.{name}" for name in ("AATP", "GDPApK", "SGDAtK", "PNormPush", "RankBoost")
}
PUSH = {"PNormPush", "RankBoost"}
ALL = set(ESTIMATORS)


@pytest.fixture(scope="module")
def before():
    return digests()


PACKAGE = ROOT / "src"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package, read only once."""
    folder = tmp_path_factory.mktemp("source") / "src"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def source(copied, monkeypatch):
    """A copy of the package that fingerprints are taken of; what a test edits in it is put back."""
    monkeypatch.setattr(fingerprints, "ROOT", copied)
    _forget()
    yield copied
    for file in filter(Path.is_file, copied.rglob("*")):
        original = PACKAGE / file.relative_to(copied)
        if not original.exists():
            file.unlink()
        elif file.stat().st_mtime_ns != original.stat().st_mtime_ns:
            shutil.copy2(original, file)
    _forget()


def _forget():
    for function in ("_fingerprint", "_scan", "_file", "_exports"):
        getattr(fingerprints, function).cache_clear()


def digests():
    _forget()
    found = {name: fingerprint([home_of(path)]) for name, path in ESTIMATORS.items()}
    found["evaluation of pap@k"] = fingerprint(["attop_bench.run.evaluation", "attop.metrics.pap"])
    found["evaluation of ap"] = fingerprint(["attop_bench.run.evaluation", "attop.metrics.precision"])
    found["training"] = fingerprint(["attop_bench.run.training"])
    found["report"] = fingerprint(["attop_bench.report.page.report"])
    return found


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("attop/solvers/boosting/coordinate_descent.py", "X = 1", PUSH),
        ("attop/solvers/boosting/coordinate_descent.py", "# a comment", set()),
        ("attop/solvers/descent/gradient_descent.py", "X = 1", {"GDPApK", *PUSH}),
        ("attop/solvers/aatp/box_qp.py", "X = 1", {"AATP"}),
        ("attop/estimators/aatp.py", "X = 1", {"AATP"}),
        ("attop/surrogates/kernels/k_largest.py", "X = 1", {"GDPApK", "SGDAtK"}),
        ("attop/metrics/pap.py", "X = 1", {"evaluation of pap@k"}),
        ("attop/metrics/precision.py", "X = 1", {"evaluation of ap"}),
        ("attop/metrics/registry.py", "X = 1", set()),
        ("attop_bench/data/kinds/images.py", "X = 1", set()),
        ("attop_bench/data/splits/protocols.py", "X = 1", {"report"}),
        ("attop_bench/report/figures/curves.py", "X = 1", {"report"}),
        ("attop/estimators/base.py", "X = 1", {*ALL, "training"}),
        ("attop_bench/cli.py", "X = 1", set()),
    ],
)
def test_an_edit_changes_what_imports_it(before, source, file, text, expected):
    path = source / file
    path.write_text((path.read_text() if path.exists() else "") + f"\n{text}\n")
    after = digests()
    assert {name for name in before if before[name] != after[name]} == expected


def test_docstrings_and_layout_do_not_count(before, source):
    path = source / "attop/solvers/aatp/box_qp.py"
    path.write_text(path.read_text().replace('"""', '"""Said otherwise. ', 1).replace("\n\n\n", "\n\n\n\n"))
    assert digests() == before


def test_a_new_export_changes_nothing(before, source):
    path = source / "attop/estimators/__init__.pyi"
    path.write_text("from .new import New as New\n" + path.read_text())
    assert digests() == before


@pytest.mark.parametrize("method", ["GreedyPApK", "SelectPApK"])
def test_the_metric_a_method_chooses_by_counts(source, method):
    before = fingerprint([home_of(f"attop.estimators.{method}")])
    path = source / "attop/metrics/pap.py"
    path.write_text(path.read_text() + "\nX = 1\n")
    _forget()
    assert fingerprint([home_of(f"attop.estimators.{method}")]) != before


def test_kernels_named_in_text_count(source):
    before = fingerprint(["attop.surrogates.pauc"])
    path = source / "attop/surrogates/kernels/pap_at_k.py"
    path.write_text(path.read_text() + "\nX = 1\n")
    _forget()
    assert fingerprint(["attop.surrogates.pauc"]) != before


def test_a_module_of_the_user_counts_by_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine_for_fingerprint.py").write_text("class Mine: pass\n")
    _forget()
    before = fingerprint([home_of("mine_for_fingerprint.Mine")])
    (tmp_path / "mine_for_fingerprint.py").write_text("class Mine: x = 1\n")
    _forget()
    assert fingerprint([home_of("mine_for_fingerprint.Mine")]) != before


def test_installed_modules_do_not_count():
    assert fingerprint([home_of("sklearn.svm.LinearSVC")]) == fingerprint(["sklearn.linear_model"])


def test_what_was_read_is_remembered_until_a_file_changes(source, tmp_path):
    kept = tmp_path / "kept" / "fingerprints.json"
    script = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from attop_bench.run import fingerprint as f\n"
        "f.ROOT = Path(sys.argv[1])\n"
        "f.remember(sys.argv[2])\n"
        "read, seen = f._read, []\n"
        "f._read = lambda file: seen.append(file.name) or read(file)\n"
        "print(json.dumps([f.fingerprint(['attop.estimators.rankboost']), seen]))\n"
    )

    def ask():
        command = [sys.executable, "-c", script, str(source), str(kept)]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    first, seen = ask()
    assert "coordinate_descent.py" in seen
    assert ask() == [first, []]
    edited = source / "attop/solvers/boosting/coordinate_descent.py"
    edited.write_text(edited.read_text() + "X = 1\n")
    second, seen = ask()
    assert (second != first, seen) == (True, ["coordinate_descent.py"])
    assert ask() == [second, []]
    kept.write_text("[1]")
    assert ask()[0] == second
    older = {file: [state[:3], "digest"] for file, (state, *_) in json.loads(kept.read_text()).items()}
    kept.write_text(json.dumps(older))  # as another version wrote it
    assert ask()[0] == second


SCRIPTS = sorted((ROOT / "workflow" / "scripts").glob("*.py"))


def closure(module):
    seen, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += fingerprints._scan(name)[1]
    return seen


@pytest.mark.parametrize("script", SCRIPTS, ids=[s.stem for s in SCRIPTS])
def test_what_a_script_imports_is_in_its_fingerprint(script):
    _forget()
    found = closure(str(script))
    lines = [node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.ImportFrom)]
    names = [(line.module, alias.name) for line in lines for alias in line.names]
    homes = {getattr(getattr(importlib.import_module(m), n), "__module__", m) for m, n in names}
    wanted = {home for home in homes if home.split(".")[0] in fingerprints.PACKAGES} - fingerprints.REGISTRIES
    assert {home for home in wanted if not home.startswith(fingerprints.RUNNERS)} <= found
    assert wanted, "a rule whose code nothing can change"


@pytest.mark.parametrize(
    ("script", "module"),
    [
        ("train", "attop_bench.run.training"),
        ("split", "attop_bench.data.splits.protocols"),
        ("trace", "attop_bench.report.compute.tops"),
        ("check", "attop_bench.run.checks"),
        ("evaluate", "attop.metrics.custom"),
        ("fetch", "attop_bench.data.fetch"),
        ("report", "attop_bench.run.manifest"),
    ],
)
def test_what_was_once_left_out(script, module):
    assert module in closure(str(ROOT / f"workflow/scripts/{script}.py"))


def test_a_script_without_code_of_attop_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no script"):
        rule_fingerprint(tmp_path / "none.py")
    (tmp_path / "alone.py").write_text("import json\n")
    with pytest.raises(ValueError, match="imports nothing of attop"):
        rule_fingerprint(tmp_path / "alone.py")


def test_a_name_whose_home_cannot_be_read_is_refused(tmp_path, source):
    script = tmp_path / "script.py"
    script.write_text("from attop.estimators import Nothing\n")
    with pytest.raises(ValueError, match="where its 'Nothing' is from"):
        rule_fingerprint(script)


def test_what_a_package_defines_itself_counts(tmp_path, source):
    script = tmp_path / "script.py"
    (source / "attop/estimators" / "__init__.py").write_text("def made_here():\n    return 1\n")
    script.write_text("from attop.estimators import made_here\n")
    before = rule_fingerprint(script)
    (source / "attop/estimators" / "__init__.py").write_text("def made_here():\n    return 2\n")
    _forget()
    assert rule_fingerprint(script) != before
