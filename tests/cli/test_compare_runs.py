"""Two finished runs side by side."""

import json

import pytest

from attop_bench.cli.main import main
from attop_bench.run.tables import write_tables
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


def test_a_run_beside_itself_has_no_change(run, capsys):
    one, _ = run("one", 0, "seed: 0\n")
    assert main(["compare-runs", one, one]) == 0
    said = capsys.readouterr().out
    assert [line.split(": ")[1][:4] for line in said.splitlines()] == ["the ", "none", "the "]


def test_configuration_values_and_verdicts_that_changed_are_listed(run, capsys):
    (one, old), (two, new) = (
        run("one", 0, "seed: 0\nmetrics: [auc]\n"),
        run("two", 1, "seed: 1\nmetrics: [auc]\n"),
    )
    assert main(["compare-runs", one, two]) == 0
    said = capsys.readouterr().out
    assert "- seed: 0" in said
    assert "+ seed: 1" in said
    assert "auc" not in said
    means = [t.groupby(["dataset", "metric", "top", "method"])["value"].mean() for t in (old, new)]
    (largest, *_) = (means[1] - means[0]).abs().sort_values(ascending=False).index
    first = said.split("Values:\n")[1].splitlines()[0].split()
    assert tuple(first[:4]) == largest
    assert [float(x) for x in first[4:]] == pytest.approx([m[largest] for m in means], abs=5.1e-4)
    assert "Verdicts of the best:\n" in said


def test_a_folder_without_a_run_is_refused(tmp_path, capsys):
    assert main(["compare-runs", str(tmp_path), str(tmp_path)]) == 1
    assert "holds no finished run" in capsys.readouterr().err
