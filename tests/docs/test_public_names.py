"""Public names have their types for tools, and cost nothing until they are used."""

import ast
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import attop
from support import ROOT

#: A user's file; README's code among it.
USER = """\
import numpy as np
from attop import AATP, BundleRanker, Top, fit_many, get_metric, make_top_scorer
from attop.learners import Ranker
from attop.surrogates import PApKAvg
X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3 == 0
scores = AATP(top=Top(tau=0.1), C=1.0).fit(X, y).decision_function(X)
value = get_metric("precision@k").value(y, scores, 6)
bound: Ranker = BundleRanker("pap@k-avg", top=6).fit_many(X, y, candidates=[{"lam": 1.0}])[0]
reveal_type(AATP(C=1.0)), reveal_type(value), reveal_type(PApKAvg(3).convex), make_top_scorer, fit_many
"""


@pytest.fixture
def user(tmp_path):
    file = tmp_path / "user.py"
    file.write_text(USER)
    return file


def run(command, cwd):
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.workflow
def test_mypy_sees_the_types_of_public_names(user):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir"]
    code, said = run([*command, str(ROOT / ".mypy_cache/strict"), str(user)], user.parent)
    assert code == 0, said
    for found in ("attop.from_papers.aatp._aatp.AATP", "float", "bool"):
        assert f'Revealed type is "{found}"' in said.replace("builtins.", "")


@pytest.mark.workflow
def test_pyright_sees_the_types_of_public_names(user):
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    code, said = run([pyright, "--pythonpath", sys.executable, str(user)], user.parent)
    if " error" not in said:
        pytest.skip(f"pyright does not run here: {said[-300:]}")
    assert code == 0, said
    assert re.search(r'"AATP\(C=1(.0)?\)" is "AATP"', said), said


def test_importing_attop_imports_nothing_heavy():
    script = "import attop, sys; print(*sys.modules)"
    _, said = run([sys.executable, "-c", script], None)
    heavy = {"numpy", "scipy", "sklearn", "numba", "typing", "ast"}
    assert not heavy & set(said.split())


PACKAGES = [
    "attop",
    *(f"attop.{stub.parent.name}" for stub in sorted(Path(attop.__file__).parent.glob("*/*.pyi"))),
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_stub_is_there(package):
    module = import_module(package)
    for name in module.__all__:
        if name == "TopLoss":
            pytest.importorskip("torch")
        assert getattr(module, name) is not None
        assert name in dir(module)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_a_name_is_in_a_stub_or_says_that_it_is_private():
    for module in walk_packages(attop.__path__, "attop."):
        if "._" not in module.name:
            assert module.ispkg, f"{module.name}: what is not exported stands in a module _name"
            defined = {
                k
                for k, v in vars(import_module(module.name)).items()
                if getattr(v, "__module__", "") == module.name
            }
            assert defined <= {"__getattr__", "__dir__"} | set(
                import_module(module.name).__all__ if defined else ()
            )


def test_every_public_name_is_on_a_reference_page():
    pages = "".join(p.read_text() for p in (ROOT / "docs/reference").glob("*.*"))
    for package in PACKAGES[1:]:
        elsewhere = (
            "attop.learners",
            "attop.from_papers",
            "attop.extending",
        )  # tables of docs/_ext/registries.py
        whole = f"automodule:: {package}\n" in pages or package in elsewhere
        for name in import_module(package).__all__:
            assert whole or f"{package}.{name}" in pages, f"{package}.{name} is on no page of docs/reference"


def test_the_benchmark_imports_the_library_by_its_doors():
    """By packages, never by a private module; tests of a study's inner workings reach deeper."""
    rooms = ("src/attop_bench", "src/snakemake_logger_plugin_attop", "workflow", "studies", "benchmarks")
    private = re.compile(
        r"^ *(?:from|import) attop(?:\.\w+)*\._|^ *from attop(?:\.\w+)* import _[a-z]", re.MULTILINE
    )
    deeper = {
        "benchmarks/factors.py": "measures the steps of a descent",
        "studies/claims/watch.py": "simulates the test of watch, not its sentence",
    }
    files = {str(p.relative_to(ROOT)): p for room in rooms for p in sorted((ROOT / room).rglob("*.py"))}
    assert len(files) > 250
    assert [name for name, p in files.items() if private.search(p.read_text()) and name not in deeper] == []


def test_private_names_of_scikit_learn_are_in_one_module():
    private = re.compile(r"^ *from sklearn[\w.]* import .*(?<!\w)_[a-zA-Z]", re.MULTILINE)
    found = [p.name for p in sorted((ROOT / "src").rglob("*.py")) if private.search(p.read_text())]
    assert found == ["_sklearn.py"]


def test_public_docstrings_name_public_things():
    for package in PACKAGES:
        module = import_module(package)
        public = [getattr(module, name) for name in module.__all__ if name != "TopLoss"]
        classes = [thing for thing in public if isinstance(thing, type)]
        members = [member for kind in classes for key, member in vars(kind).items() if key[0] != "_"]
        for thing in (module, *public, *members):
            assert not re.findall(r"attop(?:\.\w+)*\._\w+", thing.__doc__ or ""), f"{package}: {thing}"


@pytest.mark.parametrize(
    "stub", sorted(ROOT.glob("src/attop/**/__init__.pyi")), ids=lambda stub: stub.parent.name
)
def test_an_export_of_a_stub_stands_on_a_line(stub):
    """`attach` reads them so."""
    exports = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    assert [node.lineno for node in exports] == [node.end_lineno for node in exports]
