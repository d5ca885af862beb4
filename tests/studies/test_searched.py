"""The study of searched methods: what it keeps, chooses, combines and tests, on made scores."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from studies.searched import halving, judge, lengths, train
from studies.searched.choices import Search, greedy, mean_ranks
from studies.searched.train import SEARCHED, STAGES, TOPS, Fit
from studies.selectors.sets import Part, Table

from attop.extending import Top
from attop.metrics import average_precision, precision_at_k
from attop.statistics import holm, wilcoxon
from support import ROOT


def search(seed=0, n_candidates=5, n_folds=3, n=30):
    rng = np.random.default_rng(seed)
    folds = [(np.arange(n) % 5 == 0).astype(int) for _ in range(n_folds)]
    inner = [rng.random((n_candidates, n)) + 0.3 * y for y in folds]
    return Search(folds, inner, rng.random((n_candidates, 20)), rng.random((n_candidates, 20)))


def at_four(y, scores):
    return precision_at_k(y, scores, Top(k=4))


def test_a_choice_is_that_of_the_definition():
    chosen = set()
    for seed in range(20):
        one = search(seed)
        values = {
            "ap": average_precision,
            "precision@k": lambda y, scores: precision_at_k(y, scores, Top(k=4)),
        }
        for select, measure in values.items():
            means = [
                np.mean(
                    [measure(y, scores[number]) for y, scores in zip(one.inner_y, one.inner, strict=True)]
                )
                for number in range(5)
            ]
            assert one.chosen(select, Top(k=4)) == int(np.argmax(np.round(means, 12)))
            if select == "ap":
                assert one.by_ap().tolist() == sorted(range(5), key=lambda number: -means[number])
        chosen.add(one.chosen("ap", Top(k=4)))
    assert len(chosen) > 2


def test_the_greedy_ensemble_adds_what_helps_most_at_each_step():
    one, members = search(1), []
    for _ in range(6):
        values = [
            np.mean(
                [
                    average_precision(y, sum(scores[number] for number in [*members, candidate]))
                    for y, scores in zip(one.inner_y, one.inner, strict=True)
                ]
            )
            for candidate in range(5)
        ]
        members.append(int(np.argmax(values)))
    assert greedy(one, 6).tolist() == [members.count(number) for number in range(5)]
    assert len(set(members)) > 1


def test_mean_ranks_take_ties_as_they_are():
    assert mean_ranks(np.array([[1.0, 2.0, 2.0], [9.0, 7.0, 8.0]])).tolist() == [2.0, 1.75, 2.25]


@pytest.mark.parametrize(
    ("finished", "expected"),
    [
        ([50] * 30, 50),
        ([50] * 29 + [25], 25),
        ([10] * 30, 10),
        ([10] * 29 + [0] * 9, 0),
        ([50] * 30 + [0], 50),
    ],
)
def test_the_most_candidates_that_enough_sets_have_are_evaluated(finished, expected):
    assert judge.n_evaluated(finished) == expected


def values(n_sets=8, seed=0):
    """Return precisions of three methods, one of them missing on a set."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_tuples(
        product([f"s{i}" for i in range(n_sets)], "abc"), names=["set", "method"]
    )
    frame = pd.DataFrame(rng.random((len(index), len(TOPS))), index, list(TOPS)).rename_axis(columns="top")
    return frame.drop(("s3", "c"))


def test_gains_are_over_the_best_rival_of_each_set_and_corrected_over_a_question():
    frame = values()
    by_set = judge.gains(frame, "a", ["b", "c"])
    assert "s3" not in by_set.index
    assert len(by_set) == 7
    for name in by_set.index:
        for top in TOPS:
            a, b, c = (frame.loc[(name, method), top] for method in "abc")
            assert by_set.loc[name, top] == pytest.approx(a - max(b, c), abs=1e-8)
    question = judge.Question("x", [("a", ("b",)), ("a", ("b", "c"))])
    table = judge.answers(frame, question)
    assert table["sets"].tolist() == [8] * 5 + [7] * 5
    raw = [
        wilcoxon(of_top.to_numpy(), np.zeros(len(of_top))).p
        for rivals in (["b"], ["b", "c"])
        for _, of_top in judge.gains(frame, "a", rivals).items()
    ]
    np.testing.assert_allclose(table["p"], holm(raw), rtol=0.05)  # two digits are printed
    assert (table["p"] >= np.array(raw) * 0.94).all()


def test_a_set_counts_once_for_each_length_of_a_list():
    frame = values().drop("s3", level="set")
    rng = np.random.default_rng(1)
    names = frame.index.unique("set")
    of_sets = pd.DataFrame(rng.integers(1, 200, (len(names), len(TOPS))), names, list(TOPS))
    table = lengths.by_length(frame, of_sets.rename_axis(columns="top"), "a", ["b"])
    for _, row in table.iterrows():
        place = lengths.LABELS.index(row["rows at the top"])
        least, end = lengths.ENDS[place : place + 2]
        of_range = [
            [
                frame.loc[(name, "a"), top] - frame.loc[(name, "b"), top]
                for top in TOPS
                if least <= of_sets.loc[name, top] < end
            ]
            for name in names
        ]
        means = [np.mean(of_tops) for of_tops in of_range if of_tops]
        assert row["sets"] == len(means)
        assert row["gain"] == pytest.approx(100 * np.mean(means), abs=0.0051)


def test_seconds_count_the_candidates_evaluated_on_the_folds_evaluated():
    spent = pd.DataFrame(
        [("s", 0, "Extra trees", 0, 2.0), ("s", 1, "Extra trees", 0, 9.0)]
        + [("s", 0, SEARCHED, number, 1.0) for number in range(4)],
        columns=["set", "fold", "method", "candidate", "seconds"],
    )
    table = judge.seconds(spent, pd.DataFrame({"set": ["s"] * 2, "fold": [0, 0]}), 3)
    assert table.loc["s"].to_dict() == {"Extra trees": 2.0, SEARCHED: 3.0}
    assert judge.ratios(table).loc[SEARCHED].tolist() == [1, 3.0, 1.5]


NAMES = ["set", "method", "fold"]


def look_of(per_fold):
    """Return a look at precisions by fold: a frame of set, method, fold, tops and seconds."""
    return judge.look_of(
        per_fold.drop(columns="seconds"), per_fold[[*NAMES, "seconds"]].assign(candidate=0), 50
    )


def test_a_later_look_counts_the_folds_of_an_earlier_one():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(list(product("st", "ab", range(5))), columns=NAMES)
    rows = rows.join(pd.DataFrame(rng.random((len(rows), len(TOPS) + 1)), columns=[*TOPS, "seconds"]))
    rows = rows[(rows["set"] == "s") | (rows["fold"] == 0)]  # "t" is not finished
    first = rows["fold"] == 0
    both, whole = judge.over_both(look_of(rows[first]), look_of(rows[~first])), look_of(rows)
    pd.testing.assert_frame_equal(both.means, whole.means, check_names=False)
    pd.testing.assert_frame_equal(both.seconds, whole.seconds)
    assert both.means.groupby("set")["folds"].first().tolist() == [5, 1]


#: Rows of the page: the question of the rule, and which of its pairs.
SHOWN = {
    "TopStack over LightGBM of 50 candidates, chosen by precision@k": (0, 0),
    "the same, chosen by AP": (0, 1),
    "TopStack over the best of that, LightGBM, both forests on each set": (1, 0),
    "TopStack over 300 extra trees": (5, 0),
    "TopStack over a random forest of 300 trees": (6, 0),
    "TopStack over CatBoost as it comes": (7, 0),
    "TopStack over XGBoost as it comes": (8, 0),
    "a mixture of forest and boosters over 300 extra trees": (5, 1),
    "SoftTop over logistic regression, chosen by precision@k": (4, 0),
    "SoftTop over logistic regression, chosen by AP": (4, 1),
}


def test_the_page_has_the_answers_of_the_second_look():
    means = pd.read_csv(judge.HERE / "second.csv").set_index(["set", "method"])
    means = means[list(TOPS)].rename_axis(columns="top")
    page = (ROOT / "docs/explanation/top-stack.md").read_text(encoding="utf-8")
    for label, (number, pair) in SHOWN.items():
        question = judge.QUESTIONS[number]
        table = judge.answers(means, question).iloc[pair * len(TOPS) : (pair + 1) * len(TOPS)]
        cells = [f"{gain:+.1f} ({p:.2g})" for gain, p in zip(table["gain"], table["p"], strict=True)]
        assert f"| {label} | {' | '.join(cells)} |" in page, cells
    errors = 100 * judge.gains(means, *judge.QUESTIONS[0].pairs[1]).sem()
    *others, last = [f"{error:.1f}" for error in errors]
    assert f"{', '.join(others)} and {last} of 100" in page


@pytest.mark.parametrize(("name", "folds"), [("first", 48), ("second", 233)])
def test_a_look_is_told_from_its_tables(name, folds, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["judge", "--read", name])
    judge.main()
    assert capsys.readouterr().out.startswith(f"50 candidates; 48 sets, {folds} folds")


def made_table():
    rng = np.random.default_rng(0)
    table = Table(rng.normal(size=(60, 2)), (np.arange(60) % 4 == 0).astype(int), None)
    rows = np.arange(60)
    inner = [(rows[10:40], rows[:10]), (rows[:30], rows[30:40])]
    return table, Part(rows[:40], inner, rows[40:])


def test_a_stage_that_was_stopped_goes_on(tmp_path, monkeypatch):
    fitted = []

    def scored(number):
        def of_rows(table, fit_on, rows):
            fitted.append((number, len(fit_on)))
            if len(fitted) == 5:
                raise KeyboardInterrupt
            return table.X[rows, :1].T + number

        return of_rows

    monkeypatch.setattr(train, "fits", lambda *where: (Fit("m", n, scored(n), True) for n in range(3)))
    table, part = made_table()
    with pytest.raises(KeyboardInterrupt):
        train.run("s", 0, train.fits("s", 0, 0), table, part, tmp_path)
    assert judge.n_finished(tmp_path, "s", 0) == 0
    train.run("s", 0, train.fits("s", 0, 0), table, part, tmp_path)
    assert [number for number, _ in fitted] == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]
    lines = pd.read_csv(tmp_path / "values.csv")
    assert lines["candidate"].tolist() == [0, 1, 2]
    expected = precision_at_k(table.y[part.test], table.X[part.test, 0], TOPS["n+"])
    assert lines["n+"].tolist() == pytest.approx([expected] * 3)
    with np.load(train.path_of(tmp_path, "s", 0, "m", 1)) as file:
        np.testing.assert_allclose(file["inner1"], table.X[30:40, 0] + 1)
        np.testing.assert_allclose(file["averaged"], table.X[40:, 0] + 1)


def test_stages_add_candidates_and_no_method_twice():
    listed = [fit for stage in range(len(STAGES)) for fit in train.fits("s", 0, stage)]
    names = [(fit.method, fit.candidate) for fit in listed]
    assert len(set(names)) == len(names)
    assert sum(fit.method == SEARCHED for fit in listed) == STAGES[-1]
    assert {"TopStack", "Extra trees", "Random forest", "LightGBM", "Mixture", "SoftTop"} < {
        f.method for f in listed
    }
    assert train.candidates("s", 0) != train.candidates("s", 1)


def test_of_a_search_every_choice_is_evaluated(monkeypatch):
    one, y = search(), (np.arange(20) % 4 == 0).astype(int)
    table = judge._of_search(SEARCHED, one, y)
    on_test = [precision_at_k(y, scores, TOPS["n+"]) for scores in one.test]
    assert table.loc[judge.by(SEARCHED, "the best on the test part"), "n+"] == max(on_test)
    assert table.loc[judge.by(SEARCHED, "a candidate at random"), "n+"] == pytest.approx(np.mean(on_test))
    assert table.loc[judge.by(SEARCHED, "ap"), "n+"] == on_test[one.by_ap()[0]]
    assert set(judge.DESCRIBED) <= {name.removeprefix(f"{SEARCHED} by ") for name in table.index}
    asked = {name for question in judge.QUESTIONS for pair in question.pairs for name in (pair[0], *pair[1])}
    assert {name for name in asked if name.startswith(SEARCHED)} <= set(table.index)


def test_rivals_are_counted_where_they_have_all_folds(tmp_path, monkeypatch):
    table, part = made_table()
    monkeypatch.setattr(judge, "load", lambda name, folder: table)
    monkeypatch.setattr(judge, "folds", lambda of_table: [part, part])
    finished = [("s", 0), ("s", 1), ("t", 0)]
    for (name, fold), method in product(finished, train.BESIDE):
        fit = Fit(method, 0, lambda data, train_rows, rows: data.X[rows, :1].T, False)
        train.run(name, fold, [fit], table, part, tmp_path)
    values = judge.evaluate_beside(tmp_path, tmp_path, pd.Series({"s": 2, "t": 2}))
    assert set(zip(values["set"], values["fold"], strict=True)) == {("s", 0), ("s", 1)}
    expected = [precision_at_k(table.y[part.test], table.X[part.test, 0], top) for top in TOPS.values()]
    np.testing.assert_allclose(values[list(TOPS)], [expected] * 4)
    spent = pd.read_csv(tmp_path / "values.csv")
    rivals = judge.look_of(values, spent, 50)
    others = rivals.means.assign(method=rivals.means["method"] + " 2")
    look = judge.Look(others, rivals.seconds.rename(columns=lambda name: f"{name} 2"))
    both = judge.with_rivals(look, rivals)
    assert both.means["method"].tolist() == ["CatBoost", "CatBoost 2", "XGBoost", "XGBoost 2"]
    assert both.seconds.notna().all(axis=None)


def test_rounds_keep_the_best_and_end_with_one():
    values = [np.array([1.0, 5, 3, 3]), np.array([9.0, 1, 2, 0])]
    assert halving.survivors(values, (4, 2)) == [[0, 1, 2, 3], [1, 2], [2]]
    assert halving.survivors([np.zeros(3)] * 2, (3, 2)) == [[0, 1, 2], [0, 1], [0]]


def test_the_rounds_cost_what_they_fit():
    n, rounds = halving.N_CANDIDATES, halving.ROUNDS
    rows = [
        {"kind": "rows", "share": share, "candidate": number, "inner": inner, "seconds": 2.0 * share}
        for number, (_, share), inner in product(range(n), rounds, range(3))
    ]
    alive = [list(range(count)) for count, _ in rounds]
    part = pd.DataFrame(rows)
    assert halving._cost(part, alive, "rows") == pytest.approx((27 / 9 + 9 / 3 + 3) / 27)
    assert halving._cost(part, alive, "trees") == pytest.approx(
        (27 / 9 + 9 * (1 / 3 - 1 / 9) + 3 * 2 / 3) / 27
    )
    assert halving._cost(part, alive, "folds") == pytest.approx((27 + 9 + 3) / 3 / 27)
