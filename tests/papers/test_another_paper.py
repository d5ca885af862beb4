"""The page on a seventh paper, followed to the letter: files, results, page, and the row of the list."""

import re
import sys

import pandas as pd
import pytest
from studies.publish import publish

from attop_bench.files import read_json
from attop_bench.papers.findings import PrintedError
from attop_bench.papers.page import read_tables, write_findings, write_tables
from attop_bench.run.config import read_yaml
from attop_bench.run.paper import configuration_of, load_paper
from support import ROOT
from support.small_run import configured

pytestmark = pytest.mark.workflow

PAGE = (ROOT / "docs/howto/another-paper.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", PAGE, re.M | re.S))


@pytest.fixture
def followed(tmp_path, monkeypatch):
    """A folder with the page's files, of which the module can be imported."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "seventh", raising=False)
    return tmp_path


def results_of(run):
    tables = {file.stem: pd.read_parquet(file) for file in (run / "results/tables").glob("*.parquet")}
    return tables, read_json(run / "results/manifest.json")


def test_its_files_are_those_the_page_names(followed):
    assert FILES.keys() == {"printed.csv", "seventh.yaml", "seventh.py"}
    config = configured(**read_yaml(followed / "seventh.yaml"))
    assert configuration_of(config.paper) == "seventh.yaml"


def test_a_run_ends_in_its_page_and_publishing_adds_its_row(followed, finished):
    module = load_paper("seventh")
    made, list_of_all = followed / "docs/papers/seventh", followed / "docs/papers/README.md"
    write_tables(module.tables(*results_of(finished)), made)
    write_findings(module.findings(read_tables(made)), made, "seventh")
    page = (made / "README.md").read_text()
    assert "| LR | 0.98/" in page
    assert "--configfile seventh.yaml" in page
    list_of_all.write_text("# All\n\n| paper | does it hold? | |\n|---|---|---|\n\nMore.\n")
    publish("seventh", made)
    assert (made / "README.md").read_text() == page
    row = "| [Seventh (2026)](seventh/README.md) | **Open.** No paper, no claim. |  |"
    assert list_of_all.read_text().splitlines()[4] == row


@pytest.mark.parametrize(
    ("written", "misspelt", "said"),
    [
        (
            "sgd-avg,0.99",
            "sgd-avgg,0.99",
            "method 'sgd-avgg', which the run has not; did you mean 'sgd-avg'?",
        ),
        (
            "k=10,precision@k,sgd",
            "k=11,precision@k,sgd",
            "top 'k=11', which the run has not; did you mean 'k=10'",
        ),
        ("tau=0.3,precision@k,sgd", "top 30%,precision@k,sgd", "the column top"),
        ("precision@k,sgd-avg,0.99", "precison@k,sgd-avg,0.99", "did you mean 'precision@k'?"),
    ],
)
def test_a_printed_key_that_is_misspelt_names_the_near_one(written, misspelt, said, followed, finished):
    text = FILES["printed.csv"]
    assert written in text
    (followed / "printed.csv").write_text(text.replace(written, misspelt, 1))
    with pytest.raises(PrintedError) as refused:
        load_paper("seventh").tables(*results_of(finished))
    assert said in str(refused.value)
