"""What the documentation says works: its Python, configurations and commands; it builds without a warning."""

import doctest
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from sklearn.metrics import roc_auc_score

import attop
import attop.surrogates
from attop_bench.cli.main import main
from attop_bench.run.paper import configuration_of
from support import ROOT, forked
from support.small_run import configured

pytestmark = pytest.mark.workflow

PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
#: A block that begins with its file's name is that file.
FILE = re.compile(r"# (\S+\.(?:py|yaml|csv))\n")
#: A further part of a file that a block above has begun.
PART = re.compile(r"# part of (\S+\.py)\n")

#: Run with the first of the methods that the page's file proposes: which one is best is not what is tested.
OF_ALL_METHODS = "attop deploy claims --top 30 --configfile claims.yaml"
#: Pages whose Python makes the data that their commands read.
MAKES_DATA = (
    "own-data.md",
    "missing-and-categories.md",
    "after-the-model.md",
    "rescore.md",
)
#: The page whose Python makes the table of README, and of another page.
CLAIMS = "docs/howto/own-data.md"
OF_CLAIMS = ("README.md", "docs/howto/take-a-model-away.md")
VENV = "python3 -m venv .venv && . .venv/bin/activate"
CI = "run word for word by .ci/run"
PIP = "installs; .ci/run installs the same way"
SLURM = "needs a SLURM; tests/slurm runs the profile on one"
CLUSTER = "needs a scheduler; tests/workflow/test_cluster.py runs the profile with a made one"
PAPER = "tests/papers loads the configuration of each; one is planned"
JUNE = "run by test_june.py, with what it prints"
NETWORK = "asks the network whether the data can be had"
#: Packages of extras that a page's Python needs.
NEEDS = {
    "docs/howto/boosters-and-networks.md": ("lightgbm", "xgboost", "torch"),
    "docs/howto/gpu.md": ("torch",),
}
#: Programs that a page's Python and commands need.
PROGRAMS = {"docs/howto/r.md": "Rscript"}
#: Commands not run here, each with the reason; all others are, in a folder like a clone with the page's files
#: in it, and those of Snakemake are planned by --dry-run.
NOT_RUN = {
    **{
        f"snakemake --cores 16 --configfile {configuration_of(f'studies.{paper}')}": PAPER
        for paper in (
            *("aatp2012", "prec2015", "papk2020", "pnorm2005", "toppush2014", "slatk2025"),
            *("partitions.aatp2012", "partitions.prec2015", "coil2000"),
        )
    },
    f'{VENV} && pip install uv && uv pip install -e ".[workflow]" && snakemake --cores 16': CI,
    f'{VENV} && pip install uv && uv pip install -e ".[test]" && pytest': CI,
    VENV: CI,
    'attop look claims.csv --label fraud --top "40 a month" --output claims.yaml': JUNE,
    "attop deploy claims logistic-regression --configfile claims.yaml": JUNE,
    "attop score deployed-claims june.csv --output lists/2025-06.csv --picture june.png": JUNE,
    "python audited.py": JUNE,
    "attop watch lists --model deployed-claims --fail-on worse": JUNE,
    "attop compare-runs results-may results-june": "tests/cli/test_compare_runs.py has two runs",
    "attop compare-runs .": "tests/cli/test_compare_runs.py has two runs",
    "attop run claims.yaml": "trains for minutes; tests/workflow goes from a table to the page",
    "attop deploy claims --configfile claims.yaml": "of all methods; take-a-model-away.md deploys one of few",
    "pip install -e .": PIP,
    'pip install -e ".[workflow]"': PIP,
    'pip install -e ".[slurm]"': PIP,
    'pip install -e ".[cluster]"': PIP,
    'pip install "attop[boosters]"': PIP,
    'pip install "attop[torch]"': PIP,
    "snakemake --profile slurm": SLURM,
    "snakemake --profile slurm --dry-run": SLURM,
    "snakemake --profile slurm trainings --batch trainings=1/4": SLURM,
    "snakemake --profile slurm --default-resources slurm_partition=main slurm_account=mygroup": SLURM,
    "snakemake --profile slurm --group-components train=5 evaluate=1": SLURM,
    "snakemake --profile slurm --set-resources train:mem_mb=4000 train:runtime=30": SLURM,
    'snakemake --profile profiles/cluster --cluster-generic-submit-cmd "qsub ..."': CLUSTER,
    "squeue --me": SLURM,
    "scancel --me --name=<SLURM run ID>": SLURM,
    "attop headroom data.csv --label fraud --top 100": "needs a table; tests/cli/test_cli_tables.py has one",
    "attop doctor --configfile config/papers/aatp2012.yaml": NETWORK,
    "attop fit wdbc centroids --configfile centroids.yaml --pdb": "interactive",
    "PYTHONPATH=. attop propose mymethods.Centroids --against LightGBM": NETWORK,
}


def blocks(page, *languages):
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for language, block in found if language in languages]


#: Modules whose docstrings have examples, which the reference shows.
MODULES = [
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
    for file in sorted((ROOT / "src/attop").rglob("*.py"))
    if re.search("^( +>>>|@ranker)", file.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module, capsys):
    results = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted
    assert not results.failed, capsys.readouterr().out


def test_no_block_is_of_an_unknown_kind():
    kinds = {"python", "yaml", "bash", "console", "text"}
    for page in PAGES:
        fences = re.findall(r"^ *```(.*)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) % 2 == 0, page
        unknown = {name for name in fences[::2] if name not in kinds and not name.startswith("{")}
        assert not unknown, f"{page}: blocks of {unknown} are not tested, write one of {kinds}"


def pages_with(*languages):
    return [page for page in PAGES if blocks(page, *languages)]


def commands(page):
    return [
        line.removeprefix("$ ")
        for block in blocks(page, "bash", "console")
        for line in block.splitlines()
        if line
    ]


def write_files(page, folder):
    for block in blocks(page, "python", "yaml", "text"):
        name = FILE.match(block)
        if name:
            (folder / name[1]).write_text(block.removeprefix("# printed.csv\n"), encoding="utf-8")
        part = PART.match(block)
        if part:
            with (folder / part[1]).open("a", encoding="utf-8") as file:
                file.write(f"\n\n{block}")


def run_python(page, folder, monkeypatch):
    """Run a page's Python in one namespace, as doctests where it has prompts."""
    monkeypatch.chdir(folder)
    names = {"__name__": "page", "__file__": str(folder / "page.py")}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for number, block in enumerate(blocks(page, "python")):
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, f"{page} block {number}", page, 0)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
        else:
            exec(compile(block, f"{page} block {number}", "exec"), names)
    return runner.summarize(verbose=False)


def skip_without_program(page):
    if page in PROGRAMS and shutil.which(PROGRAMS[page]) is None:
        pytest.skip(f"the page needs {PROGRAMS[page]}, which is not installed")


# test_errata.py runs the errata.
@pytest.mark.parametrize("page", [p for p in pages_with("python") if "errata/" not in p and p != "README.md"])
def test_python(page, tmp_path, monkeypatch, capsys):
    for package in NEEDS.get(page, ()):
        pytest.importorskip(package, reason=f"the page's Python needs {package}, of an extra")
    skip_without_program(page)
    results = run_python(page, tmp_path, monkeypatch)
    assert not results.failed, capsys.readouterr().out


def test_python_of_readme_says_what_stands_beside_it():
    (block,) = blocks("README.md", "python")
    *statements, last = block.strip().splitlines()
    names = {}
    exec("\n".join(statements), names)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    *_, paragraph = str(eval(last, names)).split("\n\n")
    assert " ".join(readme.split()).count(f"*{' '.join(paragraph.split())}*") == 1
    assert all((ROOT / link).exists() for link in re.findall(r"\]\(([^)]+)\)", readme))


def test_the_screen_of_readme_is_what_look_prints_whole(tmp_path, monkeypatch, capsys):
    run_python(CLAIMS, tmp_path, monkeypatch)
    capsys.readouterr()
    (first,) = (command for command in commands("README.md") if command.startswith("attop look "))
    assert main(shlex.split(first)[1:]) == 0
    screens = [*blocks("README.md", "text"), *blocks(CLAIMS, "text")]
    assert [capsys.readouterr().out] * 2 == screens


#: A row of README's table of papers: learners, losses, a line of Python and the name of its configuration.
PAPERS = re.compile(
    r"^\| [^|]+\(\d{4}\) \| (.+) \| (.+) \| [^|]+ \| `model = (.+)` \| `(\w+)` \| .+ \|$", re.M
)


def test_each_line_of_readmes_table_of_papers_learns():
    """Learners and losses exist, the line of Python fits, the tables have a file."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + rng.normal(size=120) > 1
    rows = PAPERS.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(rows) == 4
    for learners, losses, line, paper in rows:
        names = {name: getattr(attop, name) for name in re.findall(r"`(\w+)`", learners)}
        assert all(hasattr(attop.surrogates, name) for name in re.findall(r"`(\w+)`", losses))
        assert (ROOT / f"config/papers/{paper}.yaml").exists()
        model = eval(line, names).fit(X, y)
        assert roc_auc_score(y, model.decision_function(X)) > 0.7


@pytest.mark.parametrize("page", pages_with("yaml"))
def test_configurations_are_valid(page, tmp_path, monkeypatch):
    write_files(page, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for block in (block for block in blocks(page, "yaml") if not block.startswith("# part of")):
        configured(**yaml.safe_load(block))


def test_commands_that_are_not_run_are_written():
    written = {command for page in PAGES for command in commands(page)}
    assert written >= NOT_RUN.keys(), "strike out above what is no longer written"


@pytest.fixture
def clone(tmp_path):
    """Return a function that runs a command in a folder like a clone, with this code and this Python."""
    for name in ("Snakefile", "rules", "workflow", "config", "profiles", "studies"):
        (tmp_path / name).symlink_to(ROOT / name)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tools / "python").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}

    def run(command):
        set_to, program, arguments = re.fullmatch(r"((?:\w+=\S+ )*)(\S+) (.*)", command).groups()
        if program in forked.PROGRAMS:
            changed = dict(word.split("=") for word in set_to.split())
            if arguments.startswith("deploy "):  # workers would import all again; tests/deploy has some
                changed["LOKY_MAX_CPU_COUNT"] = "1"
            status, said = forked.run(program, shlex.split(arguments), tmp_path, environment | changed)
        else:
            bash = ["bash", "-c", command]
            done = subprocess.run(bash, cwd=tmp_path, env=environment, capture_output=True, text=True)
            status, said = done.returncode, done.stdout + done.stderr
        assert status == 0, f"{command}\n{said}"

    return run


@pytest.mark.parametrize("page", [page for page in PAGES if {*commands(page)} - NOT_RUN.keys()])
def test_commands(page, clone, tmp_path, monkeypatch):
    skip_without_program(page)
    write_files(page, tmp_path)
    if page.endswith(MAKES_DATA):
        run_python(page, tmp_path, monkeypatch)
    if page in OF_CLAIMS:
        run_python(CLAIMS, tmp_path, monkeypatch)
    for command in (command for command in commands(page) if command not in NOT_RUN):
        if command == OF_ALL_METHODS:
            proposed = yaml.safe_load((tmp_path / "claims.yaml").read_text())
            few = {**proposed, "methods": proposed["methods"][:2]}
            (tmp_path / "claims.yaml").write_text(yaml.safe_dump(few))
        clone(f"{command} --dry-run --quiet" if "snakemake " in command else command)


def test_a_new_method_is_as_its_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-method", "centroids"]) == 0
    written = [Path(file).read_text(encoding="utf-8") for file in ("mymethods.py", "centroids.yaml")]
    assert blocks("docs/howto/own-method.md", "python", "yaml") == written


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the documentation, running the gallery; a warning is an error."""
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason='pip install -e ".[docs]"')
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", folder / "trees"]
    run = subprocess.run([*command, "docs", folder / "site"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return folder / "site"


def test_formulas_are_built(site):
    fractions = 0
    for page in site.rglob("*.html"):
        for formula in re.findall(r"<math .*?</math>", page.read_text(encoding="utf-8"), re.DOTALL):
            for fraction in ElementTree.fromstring(formula).iter("{http://www.w3.org/1998/Math/MathML}mfrac"):
                above, _below = fraction
                assert above.text != "12", f"{page.name}: {formula}"  # TeX reads \\frac12 as a half
                fractions += 1
    assert fractions > 20


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("fraud", "howto/time-and-customers"),
        ("latex", "howto/latex"),
        ("gpu", "howto/gpu"),
        ("top-k", "metrics"),
        ("alert", "howto/time-and-customers"),
        ("enrichment", "metrics"),
        ("calibrate", "howto/probabilities"),
        ("save model", "howto/take-a-model-away"),
        ("missing values", "howto/missing-and-categories"),
    ],
)
def test_a_page_has_the_words_it_is_searched_by(words, page):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8").lower()
    assert all(word in text for word in words.split())


def test_the_search_finds_first(site):
    """A main entry of the index stands above all that merely has the words."""
    written = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(written[written.index("{") : written.rindex("}") + 1])
    for words, page in {
        "precision at k": "metrics",
        "top-k": "metrics",
        "lift": "metrics",
        "fraud": "howto/own-data",
        "imbalanced": "howto/own-data",
        "time split": "howto/time-and-customers",
        "leakage": "howto/pitfalls",
        "drift": "howto/pitfalls",
        "polars": "howto/own-data",
        "recall at k": "metrics",
        "class weight": "explanation/weights",
        "cite": "index",
    }.items():
        ((place, _, main),) = index["indexentries"][words]
        assert (index["docnames"][place], main) == (page, True)
