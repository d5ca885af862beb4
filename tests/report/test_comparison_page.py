"""The page of a comparison of one's own models."""

import tomllib
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from attop import compare_at_top
from attop.extending import format_p
from support import ROOT
from support.html import Page, packed

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module", params=[False, True])
def comparison(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + rng.normal(size=400) > 1.3
    models = {
        "logistic": LogisticRegression(),
        "heavily penalised": LogisticRegression(C=1e-4),
        "none": DummyClassifier(),
    }
    groups = np.arange(400) // 40 if request.param else None
    return compare_at_top(models, X, y, {"tau": 0.1}, groups=groups, verbose=False)


@pytest.fixture
def write():
    """Return the function that pyproject.toml names, as an installed distribution would load it."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    ((name, value),) = declared["attop.report"].items()
    return EntryPoint(name, value, "attop.report").load()


def test_the_page_has_the_numbers_and_verdicts_of_the_comparison(comparison, write, tmp_path):
    write(comparison, tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    (about,) = packed(html)["datasets"]
    (shown_top,) = about["views"][comparison.metric]["tops"].values()
    judged, table = comparison.judgement, comparison.table
    assert shown_top["order"] == table.index.tolist()
    assert shown_top["card"]["verdict"] == judged.verdict
    for model, cell in shown_top["cells"].items():
        assert cell["mean"] == pytest.approx(table.loc[model, comparison.metric], rel=1e-8)
        assert cell["state"] == judged.state(model)
    shown = [(row[0], row[4]["text"]) for row in shown_top["tests"]]
    assert shown == [(rival.model, format_p(rival.p)) for rival in judged.rivals]
    assert comparison.sentence in Page(html).words


def test_without_the_benchmark_it_says_what_to_install(comparison, monkeypatch, tmp_path):
    monkeypatch.setattr("attop.experiment._result.entry_points", lambda **asked: ())
    with pytest.raises(ImportError, match=r"pip install 'attop\[workflow\]'"):
        comparison.report(tmp_path / "page.html")
