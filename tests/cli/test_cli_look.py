"""attop look on the command line."""

import yaml

from attop_bench.cli.main import main
from support.transactions import transactions


def test_prints_a_screen_and_writes_a_configuration(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    transactions(1000).to_csv("mine.csv", index=False)
    assert main(["look", "mine.csv", "--label", "fraud", "--positive", "yes", "--output", "mine.yaml"]) == 0
    printed = capsys.readouterr().out
    assert "mine.csv: 1,000 rows, 25 columns" in printed
    assert "label: fraud = yes, 2.40% of the rows" in printed
    assert "transaction_id  identifier" in printed
    assert len(printed.splitlines()) < 45
    written = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    assert written["datasets"][0]["params"]["label"] == "fraud"
    assert main(["look", "mine.csv"]) == 0
    assert (
        yaml.safe_load(capsys.readouterr().out.partition("writes:\n")[2].partition("\nNext:")[0]) == written
    )


def test_says_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["look", "none.csv"]) == 1
    assert "there is no such file" in capsys.readouterr().err
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    assert main(["look", "t.csv"]) == 1
    said = capsys.readouterr()
    assert "t.csv: 3 rows, 2 columns" in said.out  # what there is, all the same
    assert "name the label" in said.err
