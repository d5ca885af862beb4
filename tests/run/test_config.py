"""The configuration: what it accepts, what it refuses and in which words."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from docs._ext.options import json_schema, markdown

from attop.extending import Top
from attop.metrics import AMOUNTS
from attop_bench.data.profile.proposal import identifier
from attop_bench.run.checks import check_method
from attop_bench.run.config import ConfigError, load_config, read_yaml
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from support import ROOT
from support.small_run import configured, entry


def test_default_configuration():
    config = configured()
    assert [d.id for d in config.datasets][:2] == ["wdbc", "digit-8"]
    assert config.method("aatp").param_grid == {"C": [0.01, 0.1, 1, 10]}
    assert "micro-pap@k" in config.metrics


def test_every_configuration_of_the_repository_is_accepted():
    listed = subprocess.run(["git", "ls-files", "*.yaml", "*.yml"], cwd=ROOT, capture_output=True, text=True)
    if not (files := listed.stdout.split()):
        pytest.skip("the files are listed by git, and this is no clone")
    contents = {file: read_yaml(ROOT / file) for file in files}
    chosen = {file: content for file, content in contents.items() if {"datasets", "methods"} & content.keys()}
    assert {"config/config.yaml", "packaging/benchmark.yaml"} < chosen.keys()
    refused = {}
    for file, content in chosen.items():
        try:
            load_config({**contents["config/config.yaml"], **content}, ROOT)
        except ConfigError as error:
            refused[file] = str(error)
    assert not refused


def test_an_entry_overrides_the_catalogue():
    config = configured(datasets=[{"id": "digit-8", "tops": [7]}])
    assert config.dataset("digit-8").tops == [Top(k=7)]
    assert config.dataset("digit-8").params == {"digit": 8, "pool": 2}


def test_a_file_of_ones_own_inherits_nothing_from_the_data_set_of_its_name():
    names = read_yaml(ROOT / "config/datasets.yaml")
    own = {
        name: entry(id=name, kind="file", params={"path": f"{name}.csv", "label": "y", "positive": 1})
        for name in [*names, "no-name-of-the-catalogue"]
    }
    *data, other = configured(datasets=list(own.values())).datasets
    for one in data:
        alike = other.model_copy(update={"id": one.id, "params": own[one.id]["params"]})
        assert one == alike
        assert identifier(f"in/{one.id}.csv", names) not in names


def test_a_data_set_with_amounts_is_measured_by_them_too():
    params = {"path": "x.csv", "label": "y", "positive": 1, "amount": "euro"}
    assert configured(datasets=[entry(kind="file", params=params)]).metrics[-3:] == [*AMOUNTS]
    assert not {*AMOUNTS} & {*configured(datasets=[entry()]).metrics}


def test_a_method_whose_package_is_absent_is_skipped_with_the_reason():
    absent = {"id": "boosted", "estimator": "no_such_package.Booster", "requires": "no_such_package"}
    config = configured(methods=["logistic-regression", absent])
    reason = "needs the package no_such_package, which is not installed"
    assert [d.skip["boosted"] for d in config.datasets] == [reason] * len(config.datasets)
    config = configured(methods=["logistic-regression", {**absent, "requires": "sklearn"}])
    assert all("boosted" not in d.skip for d in config.datasets)
    for name in ("no_such_package", "no_such_package.part", ""):
        with pytest.raises(ConfigError, match="every method is skipped"):
            configured(methods=[{**absent, "requires": name}])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sed": 1}, ["sed: unknown key", "did you mean 'seed'?"]),
        ({"seed": -1}, ["seed: ", "greater than or equal to 0"]),
        ({"datasets": []}, ["datasets: ", "at least one"]),
        ({"datasets": ["wdbcc"]}, ["unknown dataset 'wdbcc'", "did you mean 'wdbc'?"]),
        ({"datasets": ["wdbc", "wdbc"]}, ["datasets: 'wdbc' is listed 2 times"]),
        ({"datasets": [entry(topps=[])]}, ["datasets: mine: topps: unknown key; did you mean 'tops'?"]),
        ({"datasets": [entry(tops=[{"tau": 5}])]}, ["mine: tops: 0: tau must lie strictly between 0 and 1"]),
        ({"datasets": [entry(tops=[{"k": 3}, 3])]}, ["tops: each once", "k=3"]),
        ({"datasets": [entry(tops=[{"q": 3}])]}, ["unknown key", "use one of k, tau, kappa"]),
        (
            {"datasets": [entry(scoring="precision")]},
            ["unknown metric 'precision'; did you mean 'precision@k'?"],
        ),
        (
            {"datasets": [entry(kind="file", params={"path": "t", "positive": 1}, scoring="amount@k")]},
            ["mine: scoring: amount@k", "amount in params"],
        ),
        *(
            (
                {"datasets": [entry(kind="file", params={"path": "t", "positive": 1, name: file})]},
                [f"mine: {name} must be the name of a file, got {file!r}"],
            )
            for name, file in (("path", ["a.csv"]), ("path", 3), ("path", {"a": 1}), ("labels", ["a.csv"]))
        ),
        ({"metrics": ["auc", "precision@recall-2"]}, ["recall must be above 0 and at most 1, got 2"]),
        ({"datasets": [entry(kind="wdbd")]}, ["unknown kind of data 'wdbd'", "did you mean 'wdbc'?"]),
        ({"datasets": [entry(params={"digit": 3})]}, ["mine", "unknown parameter 'digit'"]),
        (
            {"datasets": [entry(protocol={"kind": "stratified", "options": {"folds": 3}})]},
            ["mine", "unknown parameter 'folds'", "n_folds"],
        ),
        ({"datasets": [{"id": "mine", "kind": "wdbc"}]}, ["mine: protocol: missing", "mine: tops: missing"]),
        (
            {"datasets": [entry(protocol={"kind": "stratifid"})]},
            ["mine: unknown protocol 'stratifid'", "did you mean 'stratified'?"],
        ),
        *(
            (
                {"datasets": [entry(protocol={"kind": kind, "options": {"inner_folds": number}})]},
                ["mine: protocol", "inner_folds must be an integer from 1 to 1000", repr(number)],
            )
            for kind, number in (
                ("stratified", 10**9),
                ("windows", 1001),
                ("stratified", 0),
                ("windows", 2.5),
            )
        ),
        *(
            (
                {"datasets": [entry(protocol=protocol)]},
                ["mine: protocol: repeats times folds is", "lower one"],
            )
            for protocol in (
                {"kind": "stratified", "repeats": 10**9},
                {"kind": "windows", "options": {"n_sets": 200}, "repeats": 100},
            )
        ),
        (
            {"datasets": [entry(protocol={"kind": "prequential", "repeats": 3})]},
            ["mine: protocol: repeats is 3", "the same split", "leave repeats out"],
        ),
        ({"datasets": [entry(files={"path": {"urls": []}})]}, ["mine: files: path: path: missing"]),
        (
            {"datasets": [entry(files={"path": {"path": "../x"}})]},
            ["mine: files: path: file '../x': expected a name relative to the cache"],
        ),
        *(({"datasets": [entry(id=id)]}, ["a mapping with an id of text"]) for id in (["a"], None)),
        ({"datasets": [entry(extends=["b"])]}, ["datasets: mine: extends: a name is needed, got ['b']"]),
        *(({"datasets": [entry(id=id)]}, [id, "ends in .json"]) for id in ("checked.json", "Compiled.JSON")),
        ({"catalogues": {"datasets": 5}}, ["catalogues must map 'datasets' and 'methods' to YAML files"]),
        ({"datasets": [entry(id="all")]}, ["datasets: all: all.tex is the table of all data sets"]),
        ({"datasets": [entry(id="a/b")]}, ["datasets: a/b: id", "pattern"]),
        (
            {"datasets": [entry(protocol={"kind": "stratified", "options": {"kind": 3}})]},
            ["datasets: mine: protocol 'stratified'", "'kind'"],
        ),
        ({"question": {"against": "aatq"}}, ["question: against: unknown method 'aatq'"]),
        ({"methods": ["aatq"]}, ["unknown method 'aatq'", "did you mean 'aatp'?"]),
        (
            {"methods": [{"id": "aatp", "param_grid": {"C": []}}]},
            ["aatp: param_grid", "no value to try for 'C'"],
        ),
        ({"methods": [{"id": "x", "estimator": "Ridge"}]}, ["x: estimator", "pattern"]),
        ({"metrics": ["auc", "auc"]}, ["metrics: each once, got auc"]),
        ({"output": "res{x}"}, ["output: a folder's name without braces"]),
        ({"output": "README.md"}, ["output: README.md is a file: give another folder"]),
        ({"output": "README.md/x"}, ["output: README.md/x is below the file"]),
        ({"output": "data", "cache": "./data"}, ["output: data is the folder of downloads as well"]),
        ({"limits": {"seconds": float("inf")}}, ["limits: seconds", "finite"]),
        (
            {"datasets": [{"id": "wdbc", "skip": {"rankbost": "slow"}}]},
            ["wdbc: skip: unknown method 'rankbost'; did you mean 'rankboost'?"],
        ),
        (
            {"methods": [{"id": "aatp", "cite": ["boyd2013"]}]},
            ["aatp: cite", "references.bib, has no entry 'boyd2013'", "boyd2012accuracy"],
        ),
        ({"paper": "aatp2013"}, ["paper: cannot import aatp2013", "such as studies.aatp2012"]),
        ({"catalogues": {"datasets": "nowhere.yaml"}}, ["cannot read", "nowhere.yaml"]),
        (
            {"methods": ["aatp"], "datasets": [entry(skip={"aatp": "too slow"})]},
            ["mine: every method is skipped"],
        ),
    ],
)
def test_refusals(changes, words, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigError) as caught:
        configured(**changes)
    for word in words:
        assert word in str(caught.value)


def test_results_are_not_put_inside_those_of_another_run(tmp_path):
    (tmp_path / ".attop.json").write_text("{}")
    assert configured(output=str(tmp_path))
    assert configured(output=str(tmp_path / "aatp2012"))
    rules = "".join(path.read_text() for path in (ROOT / "workflow/Snakefile", *ROOT.glob("rules/*.smk")))
    written = set(re.findall(r"\{OUT\}/(\w+)/", rules))
    assert {"data", "simulations", "train"} <= written
    for folder in written:
        with pytest.raises(ConfigError, match="is inside a folder that another run writes"):
            configured(output=str(tmp_path / folder / "mine"))


def test_an_own_file_that_is_gone_since_it_was_read_is_a_complaint(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = entry(kind="file", params={"path": "mine.csv", "label": "y", "positive": 1})
    plan = Plan(configured(datasets=[data]))
    assert plan.lost_files() == []  # Snakemake says so itself where nothing is prepared
    plan.stage_path("mine").parent.mkdir(parents=True)
    plan.stage_path("mine").write_bytes(b"prepared")
    (tmp_path / "mine.csv").write_text("x,y\n1,0\n2,1\n")
    assert plan.lost_files() == []
    (tmp_path / "mine.csv").unlink()
    [complaint] = plan.lost_files()
    assert (
        "datasets: mine: mine.csv is gone, and results/data/mine/dataset.npz may be of another" in complaint
    )


def test_plan():
    config = configured(datasets=["wdbc", "images"], methods=["aatp", "rankboost"])
    plan = Plan(config)
    runs = list(plan.runs())
    assert len(runs) == 2 * 10 + 1 * 5  # images skips AATP's exhaustive search
    assert Run("images", "rankboost", 2, 0) in runs
    assert plan.stages("images") == ["source", "umap", "dataset"]
    assert [str(p) for p in plan.stage_inputs("images", "umap")] == ["results/data/images/source.npz"]


def test_reference_and_schema_are_in_step():
    page = (ROOT / "config/README.md").read_text()
    assert page == markdown(page), "run: python -m docs._ext.options"
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text())
    assert schema == json_schema(), "run: python -m docs._ext.options"


def test_every_method_of_the_catalogue_can_be_made():
    config = configured(datasets=["wdbc"], methods=list(read_yaml(ROOT / "config/methods.yaml")))
    skipped = config.dataset("wdbc").skip
    assert [c for method in config.methods if method.id not in skipped for c in check_method(method)] == []


@pytest.mark.parametrize(
    ("said", "path"),
    [("./results", "results"), ("results/", "results"), ("a//b/../c", "a/c"), ("~/x", None), (".", None)],
)
def test_a_folder_is_written_in_one_way(said, path):
    output = configured(output=said).output
    assert output == (path or str((Path.home() / "x") if said == "~/x" else Path.cwd()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"a: 1\nb: 2\na: 3\n", "the key 'a' is there twice"),
        (b"a: {x: 1, x: 2}\n", "the key 'x' is there twice"),
        (b"- a\n", "must hold keys and values"),
        (b"\x89PNG\x00\xff", "not valid YAML"),
        (b"a: [", "not valid YAML"),
    ],
)
def test_yaml_that_is_refused(tmp_path, text, words):
    path = tmp_path / "c.yaml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=words):
        read_yaml(path)
    with pytest.raises(ConfigError, match=words):
        configured(catalogues={"datasets": str(path)})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"wdbc: 5", "wdbc: keys and values are needed, got 5"),
        ("wdbc: {title: \u00e4}".encode("utf-16"), "wdbc: kind: missing"),
    ],
)
def test_entries_of_a_catalogue_that_are_none(content, words, tmp_path):
    (tmp_path / "sets.yaml").write_bytes(content)
    catalogues = {"datasets": str(tmp_path / "sets.yaml"), "methods": "config/methods.yaml"}
    with pytest.raises(ConfigError, match=words):
        configured(catalogues=catalogues, datasets=["wdbc"])


def test_a_metric_may_name_its_number_and_a_target_the_length_of_its_list():
    own = entry(scoring="recall@precision-0.95", tops=[{"k": 100, "of": 30000}])
    config = configured(metrics=["bedroc-80.5", "f2@k"], datasets=[own])
    assert config.metrics == ["bedroc-80.5", "f2@k"]
    assert config.datasets[0].tops == [Top(k=100, out_of=30000)]


@pytest.mark.parametrize("top", [{"k": 5}, {"k": 100, "of": 30000}, {"tau": 0.05, "round": "nearest"}])
@pytest.mark.filterwarnings("error")
def test_a_top_is_written_as_it_was_given(top):
    [written] = configured(datasets=[{"id": "wdbc", "tops": [top]}]).model_dump()["datasets"][0]["tops"]
    assert written == top
