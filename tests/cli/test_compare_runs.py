"""Two finished runs side by side."""

import json
import re
import shlex

import pytest

from attop_bench.run.tables import write_tables
from support import ROOT
from support.pages import made_tables


@pytest.fixture
def run(tmp_path):
    def run(name, seed, config):
        tables, manifest = made_tables(2, 3, seed=seed)
        del tables["roc"]
        write_tables(tables, tmp_path / name / "tables", csv=False)
        (tmp_path / name / "manifest.json").write_text(json.dumps({**manifest, "config": config}))
        return str(tmp_path / name), tables["evaluation"]

    return run


def test_a_run_beside_itself_has_no_change(run, ask):
    one, _ = run("one", 0, "seed: 0\n")
    said = ask("compare-runs", one, one)
    assert [line.split(": ")[1][:4] for line in said.splitlines()] == ["the ", "none", "the "]


def test_configuration_values_and_verdicts_that_changed_are_listed(run, ask):
    one, old = run("one", 0, "seed: 0\nmetrics: [auc]\n")
    two, new = run("two", 1, "seed: 1\nmetrics: [auc]\n")
    said = ask("compare-runs", one, two)
    assert "- seed: 0" in said
    assert "+ seed: 1" in said
    assert "auc" not in said
    means = [t.groupby(["dataset", "metric", "top", "method"])["value"].mean() for t in (old, new)]
    (largest, *_) = (means[1] - means[0]).abs().sort_values(ascending=False).index
    first = said.split("Values:\n")[1].splitlines()[0].split()
    assert tuple(first[:4]) == largest
    assert [float(x) for x in first[4:]] == pytest.approx([m[largest] for m in means], abs=5.1e-4)
    assert "Verdicts of the best:\n" in said


def test_the_runs_of_a_folder_are_listed_oldest_first(tmp_path, ask):
    for name, day, said in (("b/one", 2, "A is best."), ("a", 3, "B is best."), ("c", 1, "None is.")):
        (tmp_path / name).mkdir(parents=True)
        git = None if day > 2 else {"commit": "abc"}
        story = {"finished": f"2026-11-0{day}", "git": git, "headline": said}
        (tmp_path / name / "manifest.json").write_text(json.dumps(story))
    (tmp_path / "manifest.json").write_text("{}")  # of something else
    lines = ask("compare-runs", str(tmp_path)).splitlines()
    assert [line.split()[0] for line in lines] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert lines[1].split()[1:] == [str(tmp_path / "b/one"), "abc", "A", "is", "best."]


def test_its_page_shows_what_it_prints(tmp_path, monkeypatch, ask):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/howto/compare-runs.md").read_text(encoding="utf-8")
    runs = (
        ("results-may", 0, "seed: 0\n", "2026-05-31", "AATP is best."),
        ("results-june", 3, "seed: 1\n", "2026-06-30", "No method is shown to be best."),
    )
    for name, seed, config, day, headline in runs:
        tables, manifest = made_tables(1, 2, seed=seed, tops=("k=100",))
        del tables["roc"]
        write_tables(tables, tmp_path / name / "tables", csv=False)
        facts = {"config": config, "finished": day, "headline": headline}
        (tmp_path / name / "manifest.json").write_text(json.dumps({**manifest, **facts}))
    blocks = re.findall(r"```bash\nattop (.*?)\n```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for command, shown in blocks:
        assert ask(*shlex.split(command)) == shown


@pytest.mark.parametrize("n", [1, 2])
def test_a_folder_without_a_run_is_refused(n, tmp_path, ask):
    assert "holds no finished run" in ask("compare-runs", *[str(tmp_path)] * n, status=1)
