"""Kinds of data set, stage by stage, and one's own; they and the protocols are listed in one place each."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from docs._ext.options import json_schema, markdown

from attop_bench.data.base import Dataset, DatasetError, load_arrays, save_arrays
from attop_bench.data.build import build, make
from attop_bench.data.catalogue import KINDS, Kind, Stage, input_files, kind_of, stage_parameters
from attop_bench.data.splits.protocols import PROTOCOLS
from support.listings import listings


def test_stages_from_file_to_file_give_the_same_data_as_in_memory(built):
    params = {"n_users": 40, "n_items": 80, "n_rated": [30, 80], "n_factors": 3}
    spec = {"id": "my-ratings", "kind": "ratings", "params": params, "seed": 5, "title": "Mine"}
    stored = Dataset.load(built(spec))
    made = make("ratings", 5, **params)
    for name in ("X", "y", "groups"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(made, name))
    assert stored.name == "my-ratings"
    assert dict(stored.facts) == dict(made.facts)
    assert stored.facts["seed"] == 5
    assert stored.facts["kind"] == "ratings"
    for name, value in {**params, "rank": 3, "n_first": 20, "positive": 5}.items():
        assert stored.facts["parameters"][name] == value


def test_every_column_of_a_data_set_comes_back_from_its_file(tmp_path):
    given = {"groups": [7, 7, 2, 2, 7], "part": [0, 1, 1, 2, 0], "duplicate_group": [7, 7, 2, 1, 7]}
    given |= {"entity": ["c5", "c5", "c3", "c9", "c3"], "day": [20, 17_000, 17_039, 40, 17_001]}
    given |= {"amount": [2.5, 1000, 0, 3, 1]}
    Dataset("bank", np.ones((5, 2)), [1, 0, 0, 1, 1], facts={"a": [1]}, **given).save(tmp_path / "x.npz")
    again = Dataset.load(tmp_path / "x.npz")
    codes = {"groups": [1, 1, 0, 0, 1], "duplicate_group": [2, 2, 1, 0, 2], "entity": [1, 1, 0, 2, 0]}
    assert {name: getattr(again, name).tolist() for name in given} == given | codes
    assert (again.name, again.y.tolist(), again.facts) == ("bank", [1, 0, 0, 1, 1], {"a": [1]})
    counts = {"name": "bank", "items": 5, "features": 2, "positives": 3, "groups": 2}
    counts |= {"positives_per_group": [1, 1, 2], "parts": [2, 2, 1], "duplicate_groups": 3, "entities": 3}
    assert again.summary() == counts | {"days": 17_020, "design_effect": 1.8}


def test_prepared_data_of_another_version_are_refused_by_name(tmp_path):
    """A table was once an array of Parquet's bytes."""
    Dataset("t", pd.DataFrame({"a": [1.0, 2], "b": pd.Categorical(["u", "v"])}), [0, 1]).save(
        tmp_path / "t.npz"
    )
    arrays, meta = load_arrays(tmp_path / "t.npz")
    table = np.frombuffer(arrays.pop("X.parquet"), np.uint8)
    save_arrays(tmp_path / "t.npz", {**arrays, "X_parquet": table}, meta)
    with pytest.raises(DatasetError, match=r"t\.npz.*delete it, and it is made again"):
        Dataset.load(tmp_path / "t.npz")


def test_the_stages_of_images_around_umap(built, tmp_path):
    spec = {"id": "im", "kind": "images", "params": {"n_users": 9, "liking": [0.2, 0.4]}, "seed": 0}
    arrays, meta = load_arrays(built(spec, stages=["source"]))
    assert (arrays["pixels"].shape, meta["stage"]) == ((1797, 64), "source")
    digit = arrays["digit"][:500]
    meta |= {"stage": "umap", "parameters": {"n_components": 10}}
    save_arrays(tmp_path / "umap.npz", {"digit": digit, "item_features": np.eye(10)[digit]}, meta)
    build(spec, "dataset", tmp_path / "umap.npz", tmp_path / "dataset.npz")
    data = Dataset.load(tmp_path / "dataset.npz")
    assert data.X.shape[1] == 30
    assert data.facts["parameters"]["n_components"] == 10
    assert data.facts["parameters"]["n_users"] == 9


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_ends_in_a_data_set_and_finds_its_inputs(kind):
    stages = KINDS[kind].steps
    assert KINDS[kind].stages[-1] == "dataset"
    assert not stages[0].inputs
    names = [name for s in stages for name in s.options]
    assert len(names) == len(set(names)), "a parameter of two stages would have to mean the same in both"


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("wdbc", {}),
        ("digit", {"digit": 1}),
        ("simulation", {"n_users": 3}),
        ("fraud-stream", {"n_customers": 40, "n_days": 30}),
        ("ratings", {"n_users": 40, "n_items": 80, "n_rated": [30, 80]}),
    ],
)
def test_data_sets_tell_a_report_what_they_are_and_follow_their_seed(kind, params):
    data, again, other = (make(kind, seed, **params) for seed in (0, 0, 1))
    seeded = kind not in ("wdbc", "digit")
    np.testing.assert_array_equal(data.X, again.X)
    assert np.array_equal(data.X, other.X) != seeded
    facts = data.facts
    assert {"title", "source", "licence", "positive", "kind", "parameters"} <= set(facts)
    assert facts["parameters"].items() >= params.items()
    assert ("seed" in facts) == seeded


def test_a_stage_has_its_own_parameters_only():
    params = {"n_components": 5, "n_users": 7}
    assert stage_parameters("images", "source", params) == {}
    assert stage_parameters("images", "umap", params) == {"n_components": 5, "n_neighbors": 15}
    own = stage_parameters("images", "dataset", params)
    assert own["n_users"] == 7
    assert "n_components" not in own


def test_input_files_are_known():
    assert input_files("file", {"path": "a/b.csv", "label": "y", "positive": 1}) == ["a/b.csv"]
    assert input_files("wdbc", {}) == []


def test_wrong_stages_say_what_is_wrong(built, tmp_path):
    params = {"n_users": 30, "n_items": 40, "n_rated": [30, 40]}
    spec = {"id": "r", "kind": "ratings", "params": params, "seed": 0}
    source, out = built(spec, stages=["source"]), tmp_path / "out.npz"
    for stage, previous, message in [
        ("factorize", source, "has no stage 'factorize'; did you mean 'factorise'"),
        ("dataset", source, "reads the file of stage 'factorise'.*is of stage 'source' of 'ratings'"),
        ("factorise", None, "got none: build 'source' first"),
        ("factorise", tmp_path / "none.npz", "cannot be read"),
        ("source", source, "is the first of 'ratings', with no file"),
    ]:
        with pytest.raises(DatasetError, match=message):
            build(spec, stage, previous, out)
    (tmp_path / "broken.npz").write_bytes(b"no zip file")
    with pytest.raises(DatasetError, match="cannot be read"):
        build(spec, "factorise", tmp_path / "broken.npz", out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("wbdc", {}, "unknown kind of data 'wbdc'; did you mean 'wdbc'"),
        ("songs", {}, "choose one of: wdbc, digit, simulation, fraud-stream, images, ratings, movielens"),
        ("digit", {}, "kind 'digit': parameter 'digit' is not given"),
        ("digit", {"digits": 3}, "unknown parameter 'digits'; did you mean 'digit'"),
        ("wdbc", {"digit": 3}, "unknown parameter 'digit'; choose one of: n_features"),
        ("images", {"n_component": 3}, "unknown parameter 'n_component'; did you mean 'n_components'"),
        ("no.such.module", {}, "the kind of data 'no.such.module' is no Kind .*: cannot import no"),
        ("attop_bench.data.files.fetch.MIRROR", {}, "name a Kind or a function"),
        ("file", {"path": "t.csv", "positive": 1, "drop": "a"}, "drop must be a list, .*got .a."),
        ("file", {"path": "t.csv", "positive": 1, "text": {"a": 1}}, "text must be a list"),
        ("file", {"path": "t.csv", "positive": 1, "reader": "a"}, "reader must be names with values"),
        ("test_kinds.no_dataset", {}, "must return a Dataset, got <class 'dict'>"),
    ],
)
def test_wrong_requests_say_what_is_wrong(kind, params, message):
    with pytest.raises(DatasetError, match=message):
        make(kind, **params)


def no_dataset():
    return {}


def own_data(n: int = 6, *, seed: int) -> Dataset:
    y = np.arange(n) % 2
    return Dataset("own", np.random.default_rng(seed).normal(size=(n, 2)), y)


def own_source(n=4, *, seed):
    return {"x": np.arange(n), "source_seed": seed}


def own_last(x, source_seed, *, seed):
    return Dataset("own", x[:, None], x % 2, None, {"seeds": [source_seed, seed]})


OWN_KIND = Kind("own", (Stage("source", own_source), Stage("dataset", own_last, ("x", "source_seed"))))


def test_own_data_by_dotted_path():
    assert make("test_kinds.own_data", n=8).X.shape == (8, 2)
    assert kind_of("test_kinds.OWN_KIND") is OWN_KIND
    assert make("test_kinds.OWN_KIND", n=10).X.shape == (10, 1)


def test_each_stage_has_a_seed_of_its_own():
    seeds = [s for run in range(3) for s in make("test_kinds.OWN_KIND", run).facts["seeds"]]
    assert len(set(seeds)) == 6


def test_importing_the_layer_is_light():
    heavy = "umap", "pandas", "sklearn", "numba", "matplotlib"
    code = f"import sys, attop_bench.data; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_other_place_lists_the_protocols():
    assert not listings(PROTOCOLS)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_reference_says_what_a_protocol_does_and_its_defaults(name):
    protocol = PROTOCOLS[name]
    assert f"`{name}`: {protocol.summary}." in markdown("")
    assert protocol.options({}) == protocol.defaults
    options = json_schema()["$defs"]["ProtocolConfig"]["properties"]["options"]["description"]
    own = options.partition(f"`{name}`")[2].partition("`")[0]
    assert all(f"{option} = " in own for option in protocol.defaults)


def test_the_reference_names_every_kind():
    description = json_schema()["$defs"]["DatasetConfig"]["properties"]["kind"]["description"]
    assert all(kind in description for kind in KINDS)
