"""The papers' tables beside ours: verdicts, joins, the four configurations, the simulations."""

import json
import math
import re
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import ttest_1samp
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import MinMaxScaler
from studies.bounds import aatp, perceptrons, push, sides
from studies.papk2020.simulations import _sample, _sample_of_the_code, loose_struct, two_users
from studies.papk2020.simulations import margins as simulate_margins
from studies.paths import lam, steps, tolerance
from studies.pnorm2005.rounds import ranks, rounds
from studies.publish import Sizes, _put, index_row
from studies.sentences import sentences
from studies.theory import pap_margins

from attop.extending import Top
from attop.from_papers import PNormPush
from attop.metrics import get_metric
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.papers.findings import (
    ANSWERS,
    COLUMNS,
    MOST_WORDS,
    Findings,
    Plot,
    PrintedError,
    compare,
    printed_numbers,
    verdicts,
)
from attop_bench.papers.page import digest_of_tables, markdown, read_tables, write_findings, write_tables
from attop_bench.papers.pictures import beside, counts, half_interval
from attop_bench.report.compute.tables import summarise
from attop_bench.run.checks import check_method
from attop_bench.run.config import read_yaml
from attop_bench.run.paper import configuration_of, load_paper
from attop_bench.run.syntax import read
from studies import aatp2012, announced, further, toppush2014
from support import ROOT
from support.movielens import as_printed
from support.small_run import configured

NAN = math.nan
PAPERS = [
    f"studies.{name}"
    for name in ("aatp2012", "prec2015", "papk2020", "pnorm2005", "toppush2014", "slatk2025", "talos2026")
]
STUDIES = [
    "studies.partitions.aatp2012",
    "studies.partitions.prec2015",
    "studies.fraud_handbook",
    "studies.coil2000",
    "studies.movielens",
    "studies.bounds",
    "studies.further",
    "studies.nearer_optimum",
    "studies.sentences",
]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.90, 0.02, 10, 0.89, 0.04), "open"),
        ((0.95, 0.02, 10, 0.89, 0.04), "above"),
        ((0.83, 0.02, 10, 0.89, 0.04), "below"),
        ((0.89, 0.004, 10, 0.891, 0.004), "equal"),
        ((0.95, 0.02, 4, 0.89, 0.04), "untested"),
        ((0.92, 0.01, 10, 0.89, NAN), "above"),
        ((0.92, NAN, 10, 0.89, 0.01), "above"),
        ((0.20, 0.42, 10, 0.00, 0.00), "open"),  # a few equal runs are no spread
        ((0.92, NAN, 10, 0.89, NAN), "not comparable"),
        ((0.92, 0.00, 10, 0.89, NAN), "not comparable"),
        ((NAN, NAN, 0, 0.89, 0.01), "not comparable"),
        ((0.92, 0.01, 10, NAN, NAN), "not comparable"),
    ],
)
def test_verdict(numbers, expected):
    columns = ["ours", "spread", "n", "printed", "printed_spread"]
    table = pd.DataFrame([numbers], columns=columns).assign(metric="ap")
    (row,) = verdicts(table, {}).itertuples(index=False)
    assert row.verdict == expected
    lacking = any(math.isnan(number) for number in numbers) or 0.0 in (numbers[1], numbers[4])
    assert bool(row.why) == (lacking or expected == "untested"), "only what is missing is spoken of"
    others = pd.concat(
        [table.assign(ours=0.5, spread=0.1, n=10, printed=0.5)] * 200 + [table], ignore_index=True
    )
    adjusted = verdicts(others, {})["verdict"].iloc[-1]
    assert adjusted in (expected, "open"), "one of many numbers is no more easily called different"


def test_compare_joins_by_name_and_says_what_is_missing():
    printed = pd.DataFrame(
        [
            ("t", "D", "k=1", "m", "ap", 0.5, 0.1),
            ("t", "D", "k=1", "other", "ap", 0.5, 0.1),
            ("t", "E", "k=1", "m", "ap", 0.5, 0.1),
            ("t", "D", "k=1", "m", "dcg", 3.0, 0.1),
        ],
        columns=["table", "dataset", "top", "method", "metric", "mean", "std"],
    )
    summary = pd.DataFrame(
        [("d", "k=1", "ap", "m", 0.8, 0.1, 7, 2), ("d", "k=1", "dcg", "m", 3.0, 0.1, 7, 0)],
        columns=["dataset", "top", "metric", "method", "mean", "std", "n", "n_constant"],
    )
    known = {"not_comparable": {"dcg": "another DCG"}, "absent": ["other"]}
    table = compare(printed, summary, {"d": ("D", "nested")}, **known)
    assert list(table.columns) == COLUMNS
    assert table[["metric", "method", "n", "constant", "verdict", "why"]].to_numpy().tolist() == [
        ["ap", "m", 7, 2, "above", ""],
        ["ap", "other", 0, 0, "not comparable", "no number of ours"],
        ["dcg", "m", 7, 0, "not comparable", "another DCG"],
    ]


@pytest.mark.parametrize(
    ("key", "name", "words"),
    [
        ("method", "logistic-regresion", "did you mean 'logistic-regression'?"),
        ("method", "mine", "choose one of: logistic-regression, svm"),
        ("metric", "average-precision", "choose one of: ap"),
        ("top", "k=31", "did you mean 'k=30'?"),
    ],
)
def test_a_printed_key_that_the_run_has_not_is_named(key, name, words):
    row = {
        "table": "t",
        "dataset": "D",
        "top": "k=30",
        "method": "svm",
        "metric": "ap",
        "mean": 0.5,
        "std": 0.1,
    }
    ours = {"top": "k=30", "metric": "ap", "mean": 0.5, "std": 0.1, "n": 5, "n_constant": 0}
    summary = pd.DataFrame([{**ours, "dataset": "d", "method": m} for m in ("svm", "logistic-regression")])
    printed = pd.DataFrame([row, {**row, key: name}])
    with pytest.raises(PrintedError) as caught:
        compare(printed, summary, {"d": ("D", "nested")})
    assert f"the {key} {name!r}, which the run has not" in str(caught.value)
    assert words in str(caught.value)
    of_another = pd.DataFrame([row, {**row, key: name, "dataset": "E"}])  # one that is not there has no keys
    ways = {"d": ("D", "nested"), "e": ("E", "nested")}
    assert compare(of_another, summary, ways)["why"].tolist() == ["", "no number of ours"]


def test_a_printed_top_is_read_as_everywhere(tmp_path):
    file = tmp_path / "printed.csv"
    head = "table,dataset,top,metric,method,mean,std\n"
    file.write_text(f"{head}t,d,tau=0.050,ap,m,0.5,0.1\nt,d,k=30,ap,m,0.5,0.1\n")
    assert printed_numbers(file)["top"].tolist() == ["tau=0.05", "k=30"]
    for text in ("top 30", "30", "k=", ""):
        file.write_text(f"{head}t,d,{text},ap,m,0.5,0.1\n")
        with pytest.raises(PrintedError, match=r"printed.csv: the column top: .*tau=0.05"):
            printed_numbers(file)


HEAD = "table,dataset,top,metric,method,mean,std"
LINE = "t,d,k=30,ap,m,0.5,0.1"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([HEAD.replace("method", "metod"), LINE], "has the column 'metod'; did you mean 'method'?"),
        ([HEAD.replace(",std", ""), LINE.removesuffix(",0.1")], "has no column std: it needs table, dataset"),
        ([f"{HEAD},note", f"{LINE},x"], "has the column 'note'; choose one of: table"),
        ([HEAD, LINE, LINE.replace("0.5", "0,5")], "line 3"),
        ([HEAD, LINE, LINE.replace("m,0.5", "n,about 0.5")], "mean has no number but 'about 0.5' in line 3"),
        ([HEAD, LINE.replace("0.5", "0,5")], "more cells than its first line has names"),
        ([HEAD, LINE.replace("0.1", "±0.1")], "std has no number but '±0.1' in line 2"),
        ([HEAD, LINE.replace("0.5", "")], "no mean in line 2"),
        ([HEAD, LINE, LINE.replace("0.5", "0.6")], "t, d, k=30, ap, m is there again in line 3"),
        ([HEAD, LINE, LINE.replace("k=30", "k=30.0")], "is there again in line 3"),
        ([""], "printed.csv is not a CSV file"),
    ],
)
def test_a_wrong_file_of_printed_numbers_is_refused_in_words(lines, words, tmp_path):
    file = tmp_path / "printed.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(PrintedError) as refused:
        printed_numbers(file)
    assert words in str(refused.value)


def test_the_same_number_may_stand_in_two_tables(tmp_path):
    file = tmp_path / "printed.csv"
    file.write_text(f"{HEAD}\n{LINE}\n{LINE.replace('t,', 'u,', 1)}")
    assert len(printed_numbers(file)) == 2


def test_a_printed_data_set_that_is_misspelt_is_named():
    columns = ["table", "dataset", "top", "metric", "method", "mean", "std"]
    printed = pd.DataFrame([["t", "Breast cancr", "k=1", "ap", "m", 0.5, 0.1]], columns=columns)
    columns = ["dataset", "top", "metric", "method", "mean", "std", "n", "n_constant"]
    summary = pd.DataFrame([["d", "k=1", "ap", "m", 0.8, 0.1, 7, 2]], columns=columns)
    ways = {"d": ("Breast cancer", "nested")}
    with pytest.raises(PrintedError, match="'Breast cancr', which the run has not; did you mean 'Breast can"):
        compare(printed, summary, ways)
    assert compare(printed, summary, ways, absent=["Breast cancr"]).empty
    assert compare(printed.assign(dataset="Ionosphere"), summary, ways).empty


def test_a_new_page_gets_its_row_in_the_list_of_all(tmp_path):
    index = tmp_path / "README.md"
    index.write_text("# All\n\n| paper | verdict |\n|---|---|\n| [a](a/README.md) | A. |\n\nMore.\n")
    _put("| [b](b/README.md) | B. |", index, "b")
    _put("| [b](b/README.md) | Better. |", index, "b")
    rows = index.read_text().splitlines()[3:]
    assert rows == ["|---|---|", "| [a](a/README.md) | A. |", "| [b](b/README.md) | Better. |", "", "More."]
    index.write_text("# All\n\n| paper | verdict |\n|---|---|\n\nMore.\n")  # the first of all
    _put("| [b](b/README.md) | B. |", index, "b")
    assert index.read_text().splitlines()[4] == "| [b](b/README.md) | B. |"
    index.write_text("# All\n")
    with pytest.raises(ValueError, match="no table of pages"):
        _put("| [b](b/README.md) | B. |", index, "b")


def test_the_list_of_all_pages_has_a_word_first_and_few_more():
    text = (ROOT / "docs/papers/README.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| [")]
    assert len(rows) == len({*(ROOT / "docs/papers").glob("*/README.md")})
    for _, cell, _ in rows:
        word, more = re.fullmatch(r"\*\*(.+?)\.\*\* (.+)", cell).groups()
        assert word in ANSWERS
        assert 3 <= len(more.split()) <= MOST_WORDS


def test_the_error_of_a_mean_is_its_interval_of_95_percent():
    values = np.random.default_rng(0).normal(size=7)
    low, high = ttest_1samp(values, 0).confidence_interval()
    errors = pd.Series([values.std(ddof=1) / 7**0.5, 0.1])
    half = half_interval(errors, pd.Series([7, 1]))
    assert half[0] == pytest.approx((high - low) / 2)
    assert math.isnan(half[1])


def test_an_answer_that_is_none_and_a_long_text_are_refused():
    rest = {"title": "T", "citation": "C", "verdict": ["**V.**"], "picture": Plot("plot", "None.", Figure())}
    with pytest.raises(ValueError, match="answer must be one of Holds, In part, No, Open, got 'Yes'"):
        Findings(**rest, answer="Yes")
    with pytest.raises(ValueError, match="at most 20 words, got 21"):
        Findings(**rest, short="word " * 21)


def test_a_verdict_of_one_sentence_leaves_no_empty_paragraph():
    one = Findings("Title", "Citation", ["**Same.**"], Plot("plot", "Nothing.", Figure()))
    assert "\n\n\n" not in markdown(one, "studies.bounds")


def test_the_page_of_toppush_says_how_many_trials_were_run():
    folder = ROOT / "docs/papers/toppush2014"
    tables = read_tables(folder)
    fewer = tables["table_2"].assign(n=tables["table_2"]["n"].clip(upper=5))
    page = markdown(toppush2014.findings({**tables, "table_2": fewer}), "studies.toppush2014")
    assert page.count(" 5 trials") == 3
    assert "over 30 trials" not in page


@pytest.mark.parametrize("paper", [*PAPERS, *STUDIES])
def test_configuration_is_sound_and_names_what_is_printed(paper):
    config = configured(**read_yaml(ROOT / configuration_of(paper)))
    assert config.paper == paper
    assert config.output.startswith("results/")
    complaints = [complaint for method in config.methods for complaint in check_method(method)]
    assert not [its for its in complaints if "No module named 'xgboost'" not in its]  # of an extra
    if paper not in ("studies.aatp2012", "studies.papk2020", "studies.pnorm2005"):
        return  # the others print no table
    printed = printed_numbers(load_paper(paper).PRINTED)
    assert set(printed["method"]) <= {m.id for m in config.methods}
    assert set(printed["metric"]) <= set(config.metrics)
    for name, rows in printed.groupby("dataset"):
        tops = {str(Top.of(t)) for t in config.dataset(name).tops}
        assert set(rows["top"]) <= tops, f"{name}: a printed top is not trained for"


def _results(config, value):
    """Return tables as the benchmark leaves them, with `value(dataset, method, repeat)` for every metric."""
    evaluation, runs, roc = [], [], []
    for data in config.datasets:
        for method in config.methods:
            if method.id in data.skip:
                continue
            for repeat in range(2):
                for top in map(str, map(Top.of, data.tops)):
                    key = (data.id, method.id, repeat, 0, top)
                    score = value(data.id, method.id, repeat)
                    evaluation += [(*key, metric, score, None) for metric in config.metrics]
                    runs.append((*key, "ok", False, 0.1, 20, 10, '{"lam": 10}'))
                    roc.append((*key, [0, 0, 2], [0, 3, 4], 2, 4))
    names = ["dataset", "method", "repeat", "fold", "top"]
    tables = {
        "evaluation": pd.DataFrame(evaluation, columns=[*names, "metric", "value", "reason"]),
        "runs": pd.DataFrame(
            runs, columns=[*names, "status", "constant", "seconds_training", "n_train", "n_test", "chosen"]
        ),
        "roc": pd.DataFrame(roc, columns=[*names, "fp", "tp", "n_neg", "n_pos"]),
    }
    tables["summary"] = summarise(tables["evaluation"], tables["runs"])
    story = {
        "datasets": {d.id: {"title": d.title or d.id} for d in config.datasets},
        "methods": {m.id: {"title": m.title or m.id, "params": m.params} for m in config.methods},
    }
    return tables, json.loads(json.dumps(story))


def _simulated(paper):
    """Return the tables of a paper's simulations, small."""
    if paper == "studies.pnorm2005":
        bundled = {"wdbc": make("wdbc", n_features=6)}
        return {"rounds": rounds(0, bundled, {2: 3, 5: 2}), "ranks": ranks(0, bundled, 1)}
    if paper == "studies.papk2020":
        return {"two_users": two_users(0, n_runs=2), "margins": simulate_margins(0, max_iter=4, draws=2)}
    if paper == "studies.nearer_optimum":
        few = dict.fromkeys(("diabetes", "spambase"), make("wdbc", n_features=3))
        paths = {"tolerance": tolerance, "lam": lam, "steps": steps}
        return {name: path(0, few, trials=2) for name, path in paths.items()}
    if paper == "studies.movielens":
        return {f"ways_{split}": as_printed(split) for split in range(2)}
    if paper == "studies.bounds":
        data, few = make("wdbc"), make("wdbc", n_features=6)
        made = aatp(0, {"ionosphere": data}), perceptrons(0, {"a9a": data}, 100), push(0, {"wdbc": few})
        three = dict(zip(("aatp", "perceptrons", "push"), made, strict=True))
        return three | {"sides": sides(0, {"wdbc": few}, 1)}
    if paper == "studies.further":
        few = make("wdbc", n_features=6)
        large = pd.DataFrame({"solver": ["a"] * 3, "items": 9, "seconds": 0.1, "gap": 1e-6})
        return {
            **dict.fromkeys(("kernels", "push", "queries", "boosters"), further.push(0, {"housing": few}, 2)),
            "curves": announced.curves(0, {"pima": few}, 1),
            "large": large,
        }
    if paper == "studies.sentences":
        return {"sentences": sentences(0)}
    assert not hasattr(load_paper(paper), "SIMULATIONS")
    return {}


@pytest.mark.workflow
@pytest.mark.parametrize("paper", [*PAPERS, *STUDIES])
def test_findings_make_a_page_with_every_table_and_figure(paper, tmp_path):
    config = configured(**read_yaml(ROOT / configuration_of(paper)))
    methods = [m.id for m in config.methods]
    tables, story = _results(config, lambda d, m, r: 0.1 + 0.01 * methods.index(m) + 0.001 * r)
    tables |= _simulated(paper)
    module = load_paper(paper)
    write_tables(module.tables(tables, story), tmp_path)
    findings = module.findings(read_tables(tmp_path))
    write_findings(findings, tmp_path, paper)
    page = (tmp_path / "index.html").read_text()
    assert 1 <= len(findings.verdict) <= 5
    assert findings.tables
    for name in findings.files:
        file = name if name.endswith(".gz") else f"{name}.csv"
        assert f'href="{file}"' in page
        assert (tmp_path / file).stat().st_size > 0
    text = (tmp_path / "README.md").read_text()
    assert f"--configfile {configuration_of(paper)}" in text
    for plot in (findings.picture, *findings.plots):
        assert f"]({plot.name}.png)" in text
        assert (tmp_path / f"{plot.name}.png").read_bytes().startswith(b"\x89PNG")
    assert not re.search(r"\bnan\b", page)
    alone = paper == PAPERS[0]  # to draw is most of the time
    published = hasattr(module, "sizes") and not alone  # those pages are computed again below
    again = findings if published else module.findings(read_tables(tmp_path))
    assert markdown(again, paper) == text
    if alone:
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        write_findings(again, tmp_path, paper)
        assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}


@pytest.mark.parametrize("paper", [*PAPERS, *(s for s in STUDIES if hasattr(load_paper(s), "sizes"))])
def test_published_pages_are_those_of_the_csv_files_beside_them(paper):
    folder = ROOT / "docs/papers" / paper.rpartition(".")[2].replace("_", "-")
    module, tables = load_paper(paper), read_tables(folder)
    findings, sizes = module.findings(tables), module.sizes(tables)
    text = (folder / "README.md").read_text()
    assert text == markdown(findings, paper)
    assert (
        index_row(findings, sizes, folder.name) in (ROOT / "docs/papers/README.md").read_text().splitlines()
    )
    for picture in ["sizes.png", *re.findall(r"\]\(([^)]+\.png)\)", text)]:
        assert digest_of_tables(folder).encode() in (folder / picture).read_bytes(), "run studies.publish"


@pytest.mark.parametrize("paper", [*PAPERS, "studies.fraud_handbook"])
def test_another_printed_number_is_another_fingerprint(paper):
    page = ROOT / paper.replace(".", "/") / "__init__.py"
    assert {file.name for file in page.parent.glob("*.csv")} <= {*read(page, paper).texts}


@pytest.mark.parametrize("largest", [0.04, 0.4, 4.0, 400.0])
def test_a_picture_of_sizes_shows_every_number_beside_its_line(largest):
    rows = {"one": (0.5 * largest, largest), "two\nlines": (largest, 0.25 * largest)}
    [axis] = Sizes("P@tau", ("printed", "ours"), rows).draw().axes
    said = [[float(number) for number in text.get_text().split(" → ")] for text in axis.texts]
    np.testing.assert_allclose(said, list(rows.values()), atol=0.005 * largest + 0.5 * (largest > 10))
    assert [label.get_text() for label in axis.get_yticklabels()] == list(rows)


def test_the_papers_rivals_are_judged_at_the_papers_tops():
    columns = ["dataset", "preparation", "top", "method", "rival", "difference", "p", "p_printed"]
    rows = [
        ("ionosphere", "standard", "tau=0.05", "aatp", "svm-perf", 0.1, 0.2, 0.001),
        ("ionosphere", "standard", "tau=0.05 nearest", "aatp", "svm-perf", 0.1, 0.06, 0.03),
        ("ionosphere", "standard", "tau=0.19 nearest", "aatp", "svm-perf", -0.1, 0.06, 0.06),
        ("housing", "standard", "tau=0.05", "aatp", "svm-perf", -0.1, 0.06, 0.03),
    ]
    tests = pd.DataFrame(rows, columns=columns)
    found = aatp2012._at(tests, "ionosphere", "aatp", "svm-perf")
    assert found[["top", "verdict"]].to_numpy().tolist() == [
        ["tau=0.05 nearest", "above"],
        ["tau=0.19 nearest", "open"],
    ]
    assert list(aatp2012._at(tests, "housing", "aatp", "svm-perf", "tau=0.05")["verdict"]) == ["below"]


def test_numbers_side_by_side_carry_their_verdict():
    rows = [
        ("a", "k=1", 0.5, 0.6, "above"),
        ("a", "k=2", NAN, 0.6, "not comparable"),
        ("b", "k=1", 0.5, 0.5, "open"),
    ]
    table = pd.DataFrame(rows, columns=["method", "top", "printed", "ours", "verdict"])
    cells = beside(table, "method", "top", {"b": "B", "a": "A"}, digits=1)
    assert cells.to_numpy().tolist() == [["B", "0.5/0.5", ""], ["A", "0.5/0.6▲", "–/0.6"]]
    assert counts(["open", "below", "above", "below"]) == "1▲ 2▼"
    assert counts(["open"]) == "open"


def pushed(data, repeat, max_iter):
    """Return labels and scores of the test part of a repeat, of the estimator fitted by hand."""
    [fold] = make_folds("holdout", data, repeat, 3, train=369, inner_folds=2)
    X = MinMaxScaler().fit(data.X[fold.train]).transform(data.X)
    model = PNormPush(p=16, max_iter=max_iter).fit(X[fold.train], data.y[fold.train])
    return data.y[fold.test], model.decision_function(X[fold.test])


def test_rounds_are_those_of_the_estimator_on_the_partitions_of_the_configuration():
    data = make("wdbc", n_features=6)
    table = rounds(3, {"wdbc": data}, {4: 2})
    assert len(table) == 2 * 2 * 6 * 2
    table = table[table["dataset"] == "wdbc"]
    y, scores = pushed(data, 1, 4)
    row = table[(table["repeat"] == 1) & (table["p"] == 16) & (table["part"] == "test")].iloc[0]
    assert row["r_max"] == (scores[y == 1] > scores[y == 0].max()).sum()
    assert row["auc"] == pytest.approx(roc_auc_score(y, scores))


@pytest.mark.parametrize("condition", ["strong", "beta", "moderate"])
def test_simulated_samples_realise_their_margin_condition(condition):
    X, y = _sample(condition, np.random.default_rng(3))
    scores = X.sum(axis=1)
    assert getattr(pap_margins(scores, y, 30), condition) >= 1 - 1e-9
    assert np.bincount(y.astype(int)).tolist() == [2000, 250]


def test_positives_above_the_first_negatives_are_those_of_both_classes():
    data = make("wdbc", n_features=6)
    table = ranks(3, {"wdbc": data}, 1)
    y, scores = pushed(data, 0, 200)
    its = table.query("dataset == 'wdbc' and p == 16 and part == 'test'").set_index("rank")["above"]
    for rank, negative in enumerate(sorted(scores[y == 0], reverse=True)[:10], 1):
        assert its[rank] == (scores[y == 1] > negative).sum()
    most = table[table["part"] == "training"].groupby("dataset")["above"].max()
    assert most["wdbc"] <= 138 < most["wdbc-benign"]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_loose_surrogate_is_the_maximum_over_all_orderings(k):
    rng = np.random.default_rng(k)
    for n_pos, n_neg in ((2, 3), (3, 3), (3, 4)):
        y = np.repeat([1, 0], [n_pos, n_neg])
        scores = rng.normal(size=n_pos + n_neg).round(1)
        beta, best = min(n_pos, k), -math.inf
        for order in permutations(range(n_pos + n_neg)):  # best first
            place = np.argsort(order)
            below = place[:n_pos, None] > place[None, n_pos:]
            risk = np.sort(below.astype(int).sum(axis=1))  # negatives above each positive, best first
            risk = np.minimum(risk[:beta], k).sum() / (beta * k)
            best = max(best, risk + (below * (scores[n_pos:] - scores[:n_pos, None])).sum() / (n_pos * n_neg))
        assert loose_struct(y, scores, k) == pytest.approx(best)
        assert loose_struct(y, scores, k) >= 1 - get_metric("pap@k").value(y, scores, k)


@pytest.mark.parametrize("condition", ["strong", "beta", "moderate"])
def test_samples_of_the_authors_code_realise_their_margin_condition(condition):
    X, y = _sample_of_the_code(condition, np.random.default_rng(3))
    np.testing.assert_allclose(
        [np.ptp(X, axis=0), X.max(axis=0) + X.min(axis=0)], [[1] * 5, [0] * 5], atol=1e-12
    )
    weights = np.linalg.lstsq(np.c_[X, np.ones(len(y))], y, rcond=None)[0]
    assert roc_auc_score(y, X @ weights[:5]) > 0.95


def test_consistent_surrogates_vanish_under_their_margin_condition():
    curves = simulate_margins(1, max_iter=1000, draws=1)
    coded = curves[curves["recipe"] == "coded"].query("condition == 'beta'")
    coded = coded.pivot(index="iteration", columns="measure", values="value")
    assert (coded.loc[150, ["max", "TS"]] > coded[["max", "TS"]].min() + 0.1).all(), "figure 1 (b) as printed"
    assert coded.loc[150, ["avg", "ramp"]].max() < 0.01
    curves = curves[curves["recipe"] == "worded"]
    last = curves[curves["iteration"] == curves.groupby("condition")["iteration"].transform("max")]
    last = last[last["measure"] != "loose"]
    ends = last.pivot(index="condition", columns="measure", values="value")
    first = curves[curves["iteration"] == 0].pivot(index="condition", columns="measure", values="value")
    assert ends.loc["strong"].drop("max").max() < 1e-3
    assert ends.loc["strong", "max"] < 0.1 * first.loc["strong", "max"], "on its way to zero"
    assert ends.loc["beta", ["avg", "ramp"]].max() < 1e-3
    assert ends.loc["moderate", ["ramp", "risk"]].max() < 1e-3
    assert ends.loc["moderate", "TS"] < 0.1 * first.loc["moderate", "TS"], "on its way to zero"
