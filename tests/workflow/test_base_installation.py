"""The wheel with its declared dependencies alone: its names, the first page, and commands that need more."""

import json
import os
import re
import subprocess
import tomllib

import pytest

from attop_bench.cli.main import COMMANDS
from support import ROOT, installed

for needed in ("build", "hatchling"):
    pytest.importorskip(needed, reason='pip install "attop[test]" brings what builds a wheel')

#: Runs examples, and fails if one does.
EXAMPLES = """
import doctest, sys
examples = doctest.DocTestParser().get_doctest(sys.argv[1], {}, "page", None, 0)
runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
runner.run(examples)
print(runner.summarize())
sys.exit(runner.failures > 0 or not runner.tries)
"""
#: What cannot go on without an extra, and says so; each line is tried for itself.
NEEDS = """
TopBooster(top=10).fit(X, y)
AATP(top=10, solver="cvxpy").fit(X, y)
found.plot()
found.report("page.html")
"""
TRIES = """
import json, sys
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from attop import AATP, TopBooster, compare_at_top
X, y = make_classification(100, 3, n_informative=2, n_redundant=0, random_state=0)
found = compare_at_top({"a": LogisticRegression(), "b": LogisticRegression(C=0.1)}, X, y, 20, verbose=False)
found._repr_html_()
said = {}
for line in sys.argv[1:]:
    try:
        exec(line)
    except ImportError as error:
        said[line] = str(error)
print(json.dumps(said))
"""
#: Calls each command, given as a line, in a process of its own: a failed import leaves half a package behind.
CALLS = """
import os, sys
from attop_bench.cli.main import main
for line in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        sys.exit(main(line.split()))
    _, status = os.waitpid(child, 0)
    print("==", line, os.waitstatus_to_exitcode(status), file=sys.stderr, flush=True)
"""
#: Arguments without which a command is not called rightly.
ARGUMENTS = {
    "look": "t.csv",
    "headroom": "t.csv --label y --top 3",
    "init": "folder",
    "list": "methods",
    "new-method": "my-own",
    "run": "mine.yaml",
    "fit": "wdbc aatp",
    "deploy": "wdbc",
    "score": "model t.csv",
    "watch": "model t.csv",
    "compare-runs": "one other",
    "rescore": "results",
    "check-method": "sklearn.svm.LinearSVC",
    "completion": "bash",
    "propose": "sklearn.svm.LinearSVC --against LightGBM",
}
ALONE = {"init", "new-method"}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Python of an environment with the wheel and its dependencies, and a folder to work in."""
    folder = tmp_path_factory.mktemp("base")
    try:
        return installed.install(installed.build(folder / "dist"), folder / "env"), folder
    except installed.CannotInstall as reason:
        pytest.skip(str(reason))


def run(base, code, *arguments):
    python, folder = base
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, "-P", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


def test_every_public_name_is_there_or_says_which_extra_it_needs(base):
    number, refused = installed.names(base[0])
    assert number > 150
    (torch,) = refused
    assert re.match(r"attop.objectives.TopLoss: TopLoss needs PyTorch: pip install 'attop\[torch\]'", torch)


def test_the_first_page_runs(base):
    page = (ROOT / "docs/howto/start.md").read_text(encoding="utf-8")
    said, _ = run(base, EXAMPLES, "".join(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)))
    assert "failed=0" in said


def test_what_needs_an_extra_names_it(base):
    lines = NEEDS.split("\n")[1:-1]
    said = json.loads(run(base, TRIES, *lines)[0])
    words = ("attop[boosters]", "attop[cvxpy]", "pip install matplotlib", "attop[workflow]")
    for line, word in zip(lines, words, strict=True):
        assert word in said[line]


def test_every_command_says_in_a_sentence_what_is_missing(base):
    (base[1] / "mine.yaml").write_text("output: out\n")
    (base[1] / "t.csv").write_text("a,y\n" + "1,0\n2,1\n" * 20)
    lines = [f"{name} {ARGUMENTS.get(name, '--configfile mine.yaml')}" for name in COMMANDS]
    _, said = run(base, CALLS, *lines)
    assert "Traceback" not in said
    for name, line in zip(COMMANDS, lines, strict=True):
        answer, status = re.search(rf"(.*)^== {re.escape(line)} (\d)$", said, re.M | re.S).groups()
        said = said[len(answer) :].partition("\n")[2]
        assert int(status) == (name not in ALONE), line
        if name not in ALONE:
            assert re.match(rf"attop {name} needs the Python package '\w+', which is not installed", answer)
            assert 'pip install "attop[workflow]"' in answer


def test_extras_that_are_named_are_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    named = {
        extra
        for file in files
        for extras in re.findall(r"attop\[([\w,]+)\]", file.read_text(encoding="utf-8"))
        for extra in extras.split(",")
    }
    assert named <= set(project["optional-dependencies"])
    assert len(named) > 3
