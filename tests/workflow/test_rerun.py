"""The jobs that an edit makes run again: each row of docs/explanation/why-again.md, and of code some more."""

import hashlib
import os
import re
import shutil
from contextlib import ExitStack, contextmanager

import pytest
import yaml

from support import ROOT, forked
from support.small_run import SMALL, jobs

FOLDERS = ("src", "rules", "workflow", "config", "envs", "profiles")
CSV = "a,y\n" + "1,0\n2,1\n" * 20
TABLE = {
    "kind": "file",
    "params": {"label": "y", "positive": 1},
    "protocol": {"kind": "holdout", "options": {"train": 0.5, "inner_folds": 2}},
    "tops": [{"k": 3}],
    "skip": dict.fromkeys(("gd-papk-avg", "sgd-avg"), "one method is enough"),
}
PAPER = '''"""A paper."""
from pathlib import Path
import pandas as pd

def tables(results, story):
    return {"all": pd.read_csv(Path(__file__).with_name("printed.csv"))}

def findings(tables):
    from attop_bench.papers.findings import Figure, Findings, Plot  # not in every start of Snakemake
    return Findings("Title", "Citation", ["**Same.**"], Plot("plot", "Nothing.", Figure()))
'''
#: In the report's script, whose code counts, instead of the function that draws figures and writes the page.
NO_PAGE = """def write_analysis(found, story, report, tables, figures, jobs):
        figures.mkdir()
        write_tables({"summary": found["runs"]}, tables)
    if False: from attop_bench.report"""
CONFIG = {
    **SMALL,
    "paper": "own_paper.tables",
    "mirror": "mirror",
    "cache": "cache",
    "metrics": ["precision@k", "auc"],
    "datasets": [
        *SMALL["datasets"],
        {**TABLE, "id": "mine", "params": {**TABLE["params"], "path": "mine.csv"}},
        {**TABLE, "id": "fetched", "files": {"path": {"path": "fetched.csv"}}},
        {
            **TABLE,
            "id": "known",
            "files": {"path": {"path": "known.csv", "digest": hashlib.sha256(CSV.encode()).hexdigest()}},
        },
    ],
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A finished run in a copy of the repository, whose files may be edited."""
    return run_in_a_clone(tmp_path_factory.mktemp("clone"))


def run_in_a_clone(root):
    """Copy the repository to a folder and run it there; all results have a new time then."""
    for folder in FOLDERS:  # with the compiled code, and the times that say it is up to date
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy2(ROOT / "Snakefile", root)
    for file in ("mine.csv", "mirror/fetched.csv", "mirror/known.csv"):
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_text(CSV)
    (root / "own_paper").mkdir()
    (root / "own_paper/tables.py").write_text(PAPER)
    (root / "own_paper/printed.csv").write_text("printed\n0.1\n")
    (root / "small.yaml").write_text(yaml.safe_dump(CONFIG))
    (root / "module.smk").write_text(MODULE)
    script = root / "workflow/scripts/report.py"
    script.write_text(script.read_text().replace("from attop_bench.report", NO_PAGE))
    status, output = snakemake(root, "--cores", "2")
    assert status == 0, output
    for folder in ("results/evaluation", "results/train", "results/data", "cache"):  # the last first
        for file in (root / folder).rglob("*"):
            os.utime(file)
    os.utime(root / "mine.csv")
    return root


def snakemake(root, *arguments, way="profile"):
    path = os.pathsep.join([str(root / "src"), str(root)])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    return forked.run("snakemake", [*WAYS[way], *arguments], root, environment)


def code(text):
    return text + "\nADDED = 1\n"


def idle(text):
    text += "\nif TYPE_CHECKING:\n    from decimal import Decimal  # Added.\n"
    return text.replace('"""', '"""Said otherwise: ', 1)


def dependency(text):
    return text + "  - another-package\n"


def cell(text):
    return text.replace("1", "3", 1)


def configured(**changes):
    """Return an edit of the configuration."""
    return lambda text: yaml.safe_dump({**CONFIG, **changes})


#: A workflow with attop's as a module.
MODULE = """
configfile: "small.yaml"


module attop:
    snakefile:
        "Snakefile"
    config:
        config


use rule * from attop
"""
#: Ways of calling the workflow.
WAYS = {
    "profile": ["--configfile", "small.yaml"],
    "no profile": ["--configfile", "small.yaml", "--workflow-profile", "none"],
    "module": ["-s", "module.smk", "--workflow-profile", "none"],
    "catalogue": ["-s", "workflow/Snakefile", "--configfile", "small.yaml", "--workflow-profile", "none"],
}
LARGER = {"id": "logistic-regression", "param_grid": {"C": [0.1, 2]}}
SHOWN = {"report": 1, "paper": 1}
MEASURED = {"evaluate": 5, **SHOWN}
AFTER = {**MEASURED, "trace": 5}
ON_TWO = {**SHOWN, "evaluate": 2, "trace": 2}
OF_ONE = {"prepare": 1, "split": 1, "train": 1, "evaluate": 1, "trace": 1, **SHOWN}
METHODS = {"gd-papk-avg", "sgd-avg", "logistic-regression"}
TWICE = {**CONFIG["datasets"][1], "protocol": {"kind": "within-groups", "repeats": 2}}
SKIPS = {**CONFIG["datasets"][0], "skip": {"sgd-avg": "it is slow"}}
LINEAR = {"logistic-regression"}
DESCENT = "src/attop/solvers/_gradient_descent.py"

#: The rows of the page: a file and its edit; the jobs that run again, None if the run is refused; and the
#: methods that are trained.
PAGE = {
    "code of a learner": (DESCENT, code, {"compile": 1, "train": 3, **ON_TWO}, {"gd-papk-avg"}),
    "code of a metric that selects nothing": ("src/attop/metrics/_roc.py", code, MEASURED, set()),
    "a parameter of a method": (
        "small.yaml",
        configured(methods=[*SMALL["methods"][:2], LARGER]),
        {"compile": 1, "train": 6, **AFTER},
        LINEAR,
    ),
    "a method is added": (
        "small.yaml",
        configured(methods=[*SMALL["methods"], "rankboost"]),
        {"compile": 1, "train": 6, **AFTER},
        {"rankboost"},
    ),
    "a metric is added": ("small.yaml", configured(metrics=["ap", "auc"]), MEASURED, set()),
    "the title": ("small.yaml", configured(title="Another title"), SHOWN, set()),
    "a cell of your table": ("mine.csv", cell, OF_ONE, LINEAR),
    "a file in the cache": ("cache/fetched.csv", cell, {"fetch": 1, **OF_ONE}, LINEAR),
    "a file in the cache whose `digest` is configured": ("cache/known.csv", cell, None, set()),
    "a style, a template or a script of the page": (
        "src/attop_bench/report/page/templates/report.css",
        code,
        SHOWN,
        set(),
    ),
    "an entry of the bibliography": ("src/attop_bench/references.bib", code, SHOWN, set()),
    "a number that a paper prints": ("own_paper/printed.csv", cell, {"paper": 1}, set()),
}
CODE = {
    "metric that selects": (
        "src/attop/metrics/_pap.py",
        code,
        {"split": 1, "train": 3, **SHOWN, "trace": 1, "evaluate": 1},
        METHODS,
    ),
    "kind of data": (
        "src/attop_bench/data/kinds/simulated.py",
        code,
        {**OF_ONE, "train": 3},
        METHODS,
    ),
    "protocol": (
        "src/attop_bench/data/splits/random.py",
        code,
        {"split": 5, "train": 12, **AFTER},
        METHODS,
    ),
    "training": ("src/attop_bench/run/training.py", code, {"train": 12, **AFTER}, METHODS),
    "order of methods": (
        "small.yaml",
        configured(methods=SMALL["methods"][::-1]),
        ON_TWO,
        set(),
    ),
    "tops of a data set": (
        "small.yaml",
        configured(datasets=[{**CONFIG["datasets"][0], "tops": [{"k": 7}]}, *CONFIG["datasets"][1:]]),
        {"split": 1, "train": 6, "evaluate": 1, "trace": 1, **SHOWN},
        METHODS,
    ),
    "a repeat is added": (
        "small.yaml",
        configured(datasets=[CONFIG["datasets"][0], TWICE, *CONFIG["datasets"][2:]]),
        {"split": 1, "train": 3, "evaluate": 1, **SHOWN},
        METHODS,
    ),
    "seed": (
        "small.yaml",
        configured(seed=4),
        {"prepare": 5, "split": 5, "train": 12, **AFTER},
        METHODS,
    ),
    "scaling of a data set": (
        "small.yaml",
        configured(datasets=[{**CONFIG["datasets"][0], "scaling": "range"}, *CONFIG["datasets"][1:]]),
        {"train": 6, "evaluate": 1, "trace": 1, **SHOWN},
        METHODS,
    ),
    "selection on a data set": (
        "small.yaml",
        configured(datasets=[{**CONFIG["datasets"][0], "selection": "optimistic"}, *CONFIG["datasets"][1:]]),
        {"split": 1, "train": 6, "evaluate": 1, "trace": 1, **SHOWN},
        METHODS,
    ),
    "a data set is left out": (
        "small.yaml",
        configured(datasets=CONFIG["datasets"][1:]),
        SHOWN,
        set(),
    ),
    "curves are left out": ("small.yaml", configured(trace=False), {"trace": 5, **SHOWN}, set()),
    "title of a method": (
        "small.yaml",
        configured(methods=[*SMALL["methods"][:2], {**SMALL["methods"][2], "title": "Logit"}]),
        SHOWN,
        set(),
    ),
    "strict": ("small.yaml", configured(strict=True), MEASURED, set()),
    "a method is skipped on one data set": (
        "small.yaml",
        configured(datasets=[SKIPS, *CONFIG["datasets"][1:]]),
        {"evaluate": 1, "trace": 1, **SHOWN},
        set(),
    ),
    "what chooses among candidates": (
        "small.yaml",
        configured(select="auc"),
        {"split": 5, "train": 12, **AFTER},
        METHODS,
    ),
    "a rival named beforehand": (
        "small.yaml",
        configured(question={"against": "sgd-avg"}),
        SHOWN,
        set(),
    ),
    "title of a data set": (
        "small.yaml",
        configured(datasets=[{**CONFIG["datasets"][0], "title": "Cells"}, *CONFIG["datasets"][1:]]),
        SHOWN,
        set(),
    ),
}
#: Edits after which nothing runs again.
NOTHING = {
    "a comment, a docstring, a type": (DESCENT, idle),
    "the mirror": ("small.yaml", configured(mirror="elsewhere")),
    "what Snakemake may change": ("src/attop_bench/run/snakemake.py", code),
    "how jobs are run": ("src/attop_bench/jobs/server.py", code),
    "how methods and tops are checked": ("src/attop_bench/run/checks.py", code),
    "the script that checks methods": ("workflow/scripts/compile.py", code),
    "limits": ("small.yaml", configured(limits={"seconds": 77})),
    "limits of a method": (
        "small.yaml",
        configured(methods=[*SMALL["methods"][:2], {**SMALL["methods"][2], "limits": {"memory_mb": 3999}}]),
    ),
    "where files are looked for": ("small.yaml", configured(offline=True)),
    "code of a learner that no method uses": ("src/attop/learners/factor_ranker/_factor_descent.py", code),
    "packages of an environment that is not asked for": ("envs/train.yaml", dependency),
}


def rows():
    """Return the table of the page: what changes, and the rules that run again."""
    text = (ROOT / "docs/explanation/why-again.md").read_text()
    table = re.findall(r"^\| (.*?) \| (.*) \|$", text, re.MULTILINE)[1:]
    return {change: set(re.findall("`(\\w+)`", again)) for change, again in table}


def test_the_page_has_these_rows():
    told = {change: set(expected or ()) - {"paper"} for change, (_, _, expected, _) in PAGE.items()}
    told |= dict.fromkeys([*list(NOTHING)[:2], "limits", "the time of all files, as in a copy"], frozenset())
    assert rows() == {**told, "a number that a paper prints": {"paper"}}


@contextmanager
def edited(path, edit):
    """Edit a file, and put it back as it was."""
    before, times = path.read_text(), path.stat()
    assert edit(before) != before
    path.write_text(edit(before))
    try:
        yield
    finally:
        path.write_text(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    ("file", "edit", "expected", "methods"), [*PAGE.values(), *CODE.values()], ids=[*PAGE, *CODE]
)
def test_an_edit_runs_again_what_depends_on_it(clone, file, edit, expected, methods):
    with edited(clone / file, edit):
        status, output = snakemake(clone, "--cores", "1", "-n")
    if expected is None:
        assert status != 0
        assert f"{file} was edited since it was fetched" in " ".join(output.split())
        return
    assert status == 0, output
    assert jobs(output) == expected
    assert set(re.findall(r"train (\S+) on", output)) == methods


#: Those that come upon each edge of the graph.
EDGES = [
    "code of a learner",
    "a method is added",
    "a parameter of a method",
    "a cell of your table",
    "a repeat is added",
    "tops of a data set",
]


@pytest.mark.parametrize("way", list(WAYS)[1:])
@pytest.mark.parametrize("change", EDGES)
def test_the_plan_is_the_same_however_the_workflow_is_called(clone, change, way):
    file, edit, expected, methods = (PAGE | CODE)[change]
    with edited(clone / file, edit):
        status, output = snakemake(clone, "--cores", "1", "-n", way=way)
    assert status == 0, output
    assert jobs(output) == expected
    assert set(re.findall(r"train (\S+) on", output)) == methods


@pytest.mark.parametrize("way", WAYS)
def test_edits_that_change_no_result_run_nothing_again(clone, way):
    """Nor does the time of all files: `clone` has changed that of results, this one that of all others."""
    of_configuration = [name for name, (file, _) in NOTHING.items() if file == "small.yaml"]
    for alone in of_configuration if way == "profile" else ["limits"]:
        with ExitStack() as edits:
            for name, (file, edit) in NOTHING.items():
                if name == alone or name not in of_configuration:
                    edits.enter_context(edited(clone / file, edit))
            for folder in ("rules", "workflow", "config", "envs", "profiles"):
                for path in (clone / folder).rglob("*"):
                    os.utime(path)
            status, output = snakemake(clone, "--cores", "1", "-n", way=way)
        assert status == 0, output
        assert "Nothing to be done" in output, output


def test_a_summary_says_that_nothing_is_to_be_done(clone):
    status, output = snakemake(clone, "--cores", "1", "--summary", way="no profile")
    assert status == 0, output
    rows = [line.split("\t") for line in output.splitlines() if line.startswith("results/")]
    assert len(rows) > 50
    assert {(row[-2], row[-1]) for row in rows} == {("ok", "no update")}
