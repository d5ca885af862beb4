"""Searches of the benchmark: what selects, drawn candidates, their budget, and scores that are kept."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from attop.extending import Top
from attop_bench.data.base import Dataset
from attop_bench.run.candidates import CandidateFiles
from attop_bench.run.config import ConfigError, load_config, read_yaml
from attop_bench.run.job import Job, Run
from attop_bench.run.plan import Plan
from attop_bench.run.training import run_job
from support.folds import cut

TREES = {
    "id": "trees",
    "estimator": "sklearn.tree.DecisionTreeClassifier",
    "param_distributions": {"max_depth": {"randint": [1, 20]}, "min_samples_leaf": {"lograndint": [1, 20]}},
}
WDBC = {
    "id": "wdbc",
    "kind": "wdbc",
    "protocol": {"kind": "stratified"},
    "tops": [{"k": 5}],
}


def configured(method=None, data=None, **keys):
    return load_config({"datasets": [WDBC | (data or {})], "methods": [TREES | (method or {})], **keys})


def spec(*arguments, **keys):
    return Plan(configured(*arguments, **keys)).job(Run("wdbc", "trees", 0, 0)).as_dict()


def job(n_candidates=4, **changes):
    return Job(
        repeat=0,
        fold=1,
        seed=7,
        protocol={"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}},
        scaling="none",
        tops=[Top(k=10), Top(tau=0.2)],
        scoring="precision@k",
        estimator=TREES["estimator"],
        param_distributions=TREES["param_distributions"],
        n_candidates=n_candidates,
        **changes,
    )


def dataset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    return Dataset("toy", X, (X[:, 0] * X[:, 1] + rng.normal(size=300) > 1).astype(int))


def ran(one, keeper=None):
    data = dataset()
    return run_job(one, data, cut(data, one.split)[one.fold], contain=False, keeper=keeper)


@pytest.fixture
def fits(monkeypatch):
    """Return a list that grows by one with each tree that is fitted."""
    fitted, fit = [], DecisionTreeClassifier.fit

    def counted(self, *arguments, **options):
        fitted.append(self)
        if len(fitted) == getattr(counted, "last", -1):
            raise KeyboardInterrupt
        return fit(self, *arguments, **options)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", counted)
    return fitted, counted


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a fold's candidates, beside which there are no other methods'."""
    return tmp_path / "set/method/repeat0-fold0/candidates"


def test_more_candidates_train_the_new_ones_alone(fits, folder):
    fitted, _ = fits
    keeper = CandidateFiles(folder, "x")
    few = ran(job(4), keeper)
    assert len(fitted) in (4 * 2 + 1, 4 * 2 + 2)  # each on two inner folds, and what is tested at two tops
    fitted.clear()
    more = ran(job(7), keeper)
    assert len(fitted) in (3 * 2 + 1, 3 * 2 + 2)
    assert more.tops[0]["inner"][:4] == few.tops[0]["inner"]
    alone = ran(job(7))
    np.testing.assert_array_equal(alone.scores, more.scores)
    assert [top["chosen"] for top in alone.tops] == [top["chosen"] for top in more.tops]
    assert more.n_candidates == 7
    kept = [keeper.read(one["candidate"]).seconds for one in more.tops[0]["inner"]]
    assert more.seconds["selection"] >= sum(kept)  # of what was trained before, too


def test_a_search_that_was_killed_goes_on(fits, folder):
    fitted, counted = fits
    counted.last = 6  # in the third candidate
    with pytest.raises(KeyboardInterrupt):
        ran(job(5), CandidateFiles(folder, "x"))
    assert len(list(folder.iterdir())) == 2
    counted.last = -1
    fitted.clear()
    record = ran(job(5), CandidateFiles(folder, "x"))
    assert len(fitted) in (3 * 2 + 1, 3 * 2 + 2)
    np.testing.assert_array_equal(record.scores, ran(job(5)).scores)


def test_what_selects_may_change_without_a_candidate_trained_again(fits, folder):
    fitted, _ = fits
    keeper = CandidateFiles(folder, "x")
    ran(job(6), keeper)
    fitted.clear()
    record = ran(job(6, select="ap"), keeper)
    assert len(fitted) <= 2
    (first, *_) = record.tops
    assert first["select"] == "ap"
    by_ap = [np.mean(one["selected_by"]) for one in first["inner"]]
    assert first["chosen"] == first["inner"][int(np.argmax(by_ap))]["candidate"]


def test_a_damaged_file_is_trained_again(fits, folder):
    fitted, _ = fits
    ran(job(3), CandidateFiles(folder, "x"))
    damaged, empty, _ = sorted(folder.iterdir())
    damaged.write_bytes(damaged.read_bytes()[:100])
    empty.write_bytes(b"")
    fitted.clear()
    ran(job(3), CandidateFiles(folder, "x"))
    assert len(fitted) in (2 * 2 + 1, 2 * 2 + 2)
    fitted.clear()
    ran(job(3), CandidateFiles(folder, "other code"))
    assert len(fitted) >= 3 * 2 + 1


def test_a_file_with_any_byte_changed_is_read_or_trained_again(folder):
    keeper = CandidateFiles(folder, "x")
    candidates = [one["candidate"] for one in ran(job(2), keeper).tops[0]["inner"]]
    whole = {file: file.read_bytes() for file in folder.iterdir()}
    for place in range(0, min(map(len, whole.values())), 3):
        for file, content in whole.items():
            file.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        for candidate in candidates:
            keeper.read(candidate)


def test_an_ensemble_takes_what_another_method_kept_of_the_same_search(fits, tmp_path):
    fitted, _ = fits
    places = [tmp_path / f"set/{method}/repeat0-fold1/candidates" for method in ("tuned", "averaged")]
    tuned = ran(job(6, select="ap"), CandidateFiles(places[0], "x"))
    fitted.clear()
    keeper = CandidateFiles(places[1], "x")
    record = ran(job(8, select="ap", ensemble=20), keeper)
    members = sum(top["averaged"] for top in record.tops)
    assert 2 * 2 + 2 < len(fitted) <= 2 * 2 + members  # two new ones on two inner folds, and what is tested
    first = record.tops[0]
    assert [one["times"] > 0 for one in first["inner"]].count(True) == first["averaged"] > 1
    assert sum(one["times"] for one in first["inner"]) == 20
    assert first["validation"] >= max(np.mean(one["values"]) for one in tuned.tops[0]["inner"]) - 0.1
    alone = ran(job(8, select="ap", ensemble=20))
    np.testing.assert_array_equal(alone.scores, record.scores)
    assert len(list(places[1].iterdir())) == 2
    fitted.clear()
    ran(job(8, select="ap"), CandidateFiles(tmp_path / "set/last/repeat0-fold1/candidates", "x"))
    assert len(fitted) <= 2
    fitted.clear()
    ran(job(3), CandidateFiles(tmp_path / "set/last/repeat0-fold0/candidates", "x"))  # another fold
    assert len(fitted) >= 3 * 2


def test_an_ensemble_is_part_of_the_specification_where_there_is_one():
    assert "ensemble" not in spec({"ensemble": 1})
    assert spec({"ensemble": 20})["ensemble"] == 20
    candidate, same = (Job.from_dict(spec(changes)).of_a_candidate() for changes in ({}, {"ensemble": 20}))
    assert candidate == same


def test_jobs_of_ensembles_come_last():
    for fold in ("0", "1"):  # of which the second has no rank of its own
        place = SimpleNamespace(dataset="wdbc", method="trees", repeat="0", fold=fold)
        plain, ensemble = (Plan(configured({"ensemble": n})).priority(place) for n in (1, 20))
        assert ensemble < plain


def test_a_budget_of_seconds_ends_after_the_candidate_that_used_it_up():
    assert ran(job(6, seconds=1e-9)).n_candidates == 1
    assert ran(job(6, seconds=1e9)).n_candidates == 6


def test_what_is_not_said_changes_no_specification():
    plain = spec({"param_distributions": {}, "param_grid": {"max_depth": [1, 2]}})
    assert not {"select", "param_distributions", "n_candidates", "seconds"} & set(plain)
    same = spec({"param_distributions": {}, "param_grid": {"max_depth": [1, 2]}}, select="precision@k")
    assert same == plain


def test_select_of_the_method_comes_before_that_of_the_data_set_and_the_run():
    assert spec(select="ap")["select"] == "ap"
    assert spec(None, {"select": "auc"}, select="ap")["select"] == "auc"
    assert spec({"select": "pooled-ap"}, {"select": "auc"}, select="ap")["select"] == "pooled-ap"
    assert "select" not in spec({"select": "precision@k"}, {"select": "auc"})


def test_a_budget_is_that_of_every_search():
    assert spec()["n_candidates"] == 10
    assert spec({"n_candidates": 3})["n_candidates"] == 3
    assert spec({"n_candidates": 3}, budget={"candidates": 50})["n_candidates"] == 50
    in_time = spec(
        {"param_distributions": {"min_impurity_decrease": {"uniform": [0, 1]}}}, budget={"seconds": 60}
    )
    assert (in_time["seconds"], in_time["n_candidates"]) == (60, 1_000)


@pytest.mark.parametrize(
    ("method", "data", "keys", "complaint"),
    [
        ({}, {}, {"select": "precison@k"}, "select: unknown selector .* did you mean 'precision@k'"),
        ({}, {"select": "app"}, {}, "datasets: wdbc: select: unknown selector 'app'"),
        ({"select": "pooled-x"}, {}, {}, "methods: trees: select: unknown selector 'pooled-x'"),
        ({}, {}, {"budget": {}}, "budget: one of candidates and seconds"),
        ({}, {}, {"budget": {"candidates": 2, "seconds": 3}}, "budget: one of candidates and seconds"),
        ({"param_grid": {"max_depth": [1, 2]}}, {}, {}, "param_grid and param_distributions are both given"),
        (
            {"param_distributions": {}, "param_grid": {"max_depth": [1, 2, 3]}},
            {},
            {"budget": {"candidates": 2}},
            "param_grid has 3 combinations, and budget allows 2",
        ),
        ({"param_distributions": {"max_depth": {"randint": [1, 3]}}}, {}, {}, "gave 2 different ones"),
        ({"param_distributions": {"max_depth": {"normal": [1, 3]}}}, {}, {}, "max_depth: a distribution is"),
        ({"param_distributions": {}, "n_candidates": 3}, {}, {}, "n_candidates is given, but no"),
        ({}, {"selection": "optimistic"}, {}, "cannot have the drawn candidates of trees"),
        ({}, {"selection": "optimistic", "select": "ap"}, {}, "cannot have select 'ap'"),
        ({"select": "ap"}, {"selection": "optimistic"}, {}, "cannot have select 'ap'"),
        (
            {"param_distributions": {}, "param_grid": {"max_depth": [1, 2]}, "ensemble": 20},
            {"selection": "optimistic"},
            {},
            "cannot have the ensemble of trees",
        ),
        ({"param_distributions": {}, "ensemble": 20}, {}, {}, "ensemble is 20, but .* leave it out"),
        (
            {"param_distributions": {}, "param_grid": {"max_depth": [3]}, "ensemble": 2},
            {},
            {},
            "ensemble is 2, but .* give param_grid",
        ),
        ({"ensemble": 0}, {}, {}, "methods: trees: ensemble: .* greater than or equal to 1, got 0"),
        ({"ensemble": "greedy"}, {}, {}, "methods: trees: ensemble: .*got 'greedy'"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_searched_is_refused_before_the_first_job(method, data, keys, complaint):
    with pytest.raises(ConfigError, match=complaint):
        configured(method, data, **keys)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "random-forest", "extra-trees"])
def test_the_catalogue_has_published_spaces(name):
    entry = read_yaml("config/methods.yaml")[f"{name}-search"] | {"id": "trees", "requires": "sklearn"}
    one = spec(entry, budget={"candidates": 50})
    assert one["n_candidates"] == 50
    if name == "lightgbm":
        one["param_distributions"] |= {"n_estimators": {"randint": [2, 5]}}
    elif name in ("xgboost", "catboost"):  # not installed everywhere
        return
    candidate = {"estimator": one["estimator"], "params": one["params"]}
    changes = {"n_candidates": 2, "param_distributions": one["param_distributions"]}
    assert ran(replace(job(), **candidate, **changes)).ok


def test_where_time_ends_a_search_a_small_space_is_used_up():
    small = {"param_distributions": {"max_depth": {"randint": [1, 4]}}}
    entry = spec(small, budget={"seconds": 100})
    assert entry["n_candidates"] == 1_000
    searched = replace(job(1_000, seconds=100.0), param_distributions=entry["param_distributions"])
    assert ran(searched).n_candidates == 3
