"""The catalogue of data sets: complete, with the counts it asserts, and without those that cannot be had."""

import hashlib
import io
import json
import math
import os
import pickle
import shutil
import sys
import tarfile
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from studies.papk2020.behance import RECORD, project_items
from studies.papk2020.citation import CONTACTS, PUBLISHED

from attop_bench.data import base
from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_arrays
from attop_bench.data.build import build, check_facts, make
from attop_bench.data.files.fetch import fetch_files, next_turn, read_receipt
from attop_bench.data.files.source import Source
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import read_yaml
from attop_bench.run.plan import Plan
from attop_bench.run.up_to_date import Inputs
from support import ROOT
from support.small_run import configured

MIRROR = Path(os.environ.get("ATTOP_MIRROR") or ROOT.parent / "shared/data")
ENTRIES = read_yaml(ROOT / "config/datasets.yaml")
FETCHED = [id for id, entry in ENTRIES.items() if "files" in entry]


def in_mirror(id):
    return all((MIRROR / (f.get("mirror") or f["path"])).exists() for f in ENTRIES[id]["files"].values())


def test_every_entry_is_a_valid_configuration():
    assert len(configured(datasets=list(ENTRIES)).datasets) == len(ENTRIES)


@pytest.mark.parametrize("id", FETCHED)
def test_every_fetched_entry_says_what_it_is_and_where_it_is_from(id):
    entry = ENTRIES[id]
    assert entry["licence"]
    assert entry["citation"]
    assert entry["expect"]["features"]
    for file in entry["files"].values():
        assert file.get("urls") or file.get("remedy"), file["path"]


@pytest.mark.parametrize("id", FETCHED)
def test_the_files_have_the_counts_the_catalogue_asserts(id, built, tmp_path):
    if not in_mirror(id):
        pytest.skip(f"no mirror with the files of {id}: set ATTOP_MIRROR")
    entry = ENTRIES[id]
    cells = math.prod(entry["expect"].get(name, 0) for name in ("items", "features"))
    if cells > 2e6 and "ATTOP_MIRROR" not in os.environ:
        pytest.skip(f"{id} takes seconds to read: set ATTOP_MIRROR")
    files = {name: Source(**file) for name, file in entry["files"].items()}
    assert fetch_files(files, tmp_path, tmp_path / "fetch.json", mirror=str(MIRROR), offline=True)
    params = {**entry.get("params", {}), **{n: f["path"] for n, f in entry["files"].items()}}
    spec = {"id": id, "kind": entry["kind"], "params": params, "expect": entry["expect"], "seed": 0}
    data = Dataset.load(built(spec, tmp_path / "fetch.json"))
    assert str(tmp_path) not in json.dumps(data.facts)
    assert "simulated" not in json.dumps(data.facts)
    for fold in make_folds(entry["protocol"]["kind"], data, 0, 0, **entry["protocol"].get("options", {})):
        assert not set(fold.train) & set(fold.test)
        if data.duplicate_group is not None:
            assert not set(data.duplicate_group[fold.train]) & set(data.duplicate_group[fold.test])
    if id == "letor2-ohsumed":
        assert data.summary()["parts"] == [2570, 3076, 3573, 3538, 3383]
    if id == "wdbc-file":
        np.testing.assert_array_equal(data.X, make("wdbc", n_features=6).X)


@pytest.mark.parametrize(
    ("id", "queries"), [("letor2-td2003", 50), ("letor2-td2003-list", 50), ("letor2-td2004", 75)]
)
def test_files_of_trec_are_read_as_letor_writes_them(id, queries, tmp_path):
    entry, one_list = ENTRIES[id], id.endswith("-list")
    assert all(len(file["digest"]) == 40 for file in entry["files"].values())
    rng, fifth, params = np.random.default_rng(0), queries // 5, dict(entry["params"])
    for name, sets in (("path", range(3)), ("validation", [3]), ("test", [4])):
        lines = []
        for qid in (f * fifth + i + 1 for f in sets for i in range(fifth)):
            for document, label in enumerate((2, 1, *[0] * 38)):
                values = " ".join(f"{j}:{v:.6f}" for j, v in enumerate(rng.normal(size=44), 1))
                lines.append(f"{label} qid:{qid} {values} #docid = {document}")
        params[name] = tmp_path / f"{name}.txt"
        params[name].write_text("\r\n".join(lines) + "\r\n")
    data = make(entry["kind"], **params)
    check_facts(data, entry["expect"])
    assert data.summary()["parts"] == [40 * fifth] * 5
    assert data.y.sum() == 2 * queries
    assert (data.X.min(), data.X.max()) == (0, 1), "of each query"
    options = entry["protocol"]["options"]
    folds = make_folds("given", data, 0, 0, **{**options, **({"n_test": 300} if one_list else {})})
    for f, fold in enumerate(folds):
        assert set(data.part[fold.train]) == {f, (f + 1) % 5, (f + 2) % 5}
        assert set(data.part[fold.test]) == {(f + 4) % 5}
        assert not one_list or (len(fold.train), len(fold.test)) == (500, 300)
    assert len(folds) == 5


def test_features_are_checked_once(monkeypatch):
    checked = []
    monkeypatch.setattr(base, "_refuse_unusable", lambda X, *_, **__: checked.append(X))
    data = make("digit", digit=3)
    assert len(checked) == 1
    assert data.facts["kind"] == "digit"


def test_other_counts_than_expected_are_an_error():
    data = Dataset("toy", np.ones((3, 2)), np.array([0, 1, 1]))
    check_facts(data, {"items": 3, "features": 2, "positives": 2, "groups": None})
    with pytest.raises(DatasetError, match=r"items: got 3, expected 4; groups: got none, expected 2"):
        check_facts(data, {"items": 4, "positives": 2, "groups": 2})


def test_data_that_cannot_be_had_are_a_reason_until_they_can(tmp_path):
    mirror, receipt, content = tmp_path / "mirror", tmp_path / "fetch.json", "u,y\n1,0\n2,1\n"
    files = {"path": Source("own/t.csv", digest=hashlib.sha256(content.encode()).hexdigest())}
    params = {"path": "own/t.csv", "label": "y", "positive": 1}
    spec = {"id": "own", "kind": "file", "params": params, "seed": 0}
    for count in (1, 2):
        turn = next_turn(receipt)
        assert not fetch_files(
            files, tmp_path / "cache", receipt, mirror=str(mirror), offline=True, turn=turn
        )
        assert next_turn(receipt) == count
    build(spec, "dataset", receipt, tmp_path / "dataset.npz")
    with pytest.raises(Unavailable, match=r"own/t\.csv.*mirror") as caught:
        Dataset.load(tmp_path / "dataset.npz")
    assert (caught.value.reason, caught.value.remedy) == tuple(json.loads(receipt.read_text())["unavailable"])

    (mirror / "own").mkdir(parents=True)
    (mirror / "own/t.csv").write_text(content)
    assert fetch_files(files, tmp_path / "cache", receipt, mirror=str(mirror), offline=True, turn=2)
    assert json.loads(receipt.read_text())["files"]["path"]["sha256"] == files["path"].digest
    assert next_turn(receipt) == 2  # as when the job began: nothing is to be done again
    build(spec, "dataset", receipt, tmp_path / "dataset.npz")
    data = Dataset.load(tmp_path / "dataset.npz")
    assert data.X.ravel().tolist() == [1, 2]
    assert data.facts["source"] == "own/t.csv"

    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(DatasetError, match=r"is gone since: remove .*fetch\.json"):
        read_receipt(receipt)


def test_the_reason_passes_through_every_stage(built, tmp_path):
    file = {"path": Source("ml-100k/u.data")}
    fetch_files(file, tmp_path / "cache", tmp_path / "fetch.json", mirror=str(tmp_path), offline=True)
    spec = {"id": "ml", "kind": "movielens", "params": {"path": "ml-100k/u.data"}, "seed": 0}
    with pytest.raises(Unavailable):
        Dataset.load(built(spec, tmp_path / "fetch.json"))


def test_where_files_are_found_and_what_is_said_of_them_repeat_no_job():
    inputs = [
        Inputs(
            Plan(
                configured(datasets=[{"id": "ionosphere", "notes": notes, "files": {"path": file}}], **place)
            ),
            lambda rule: ROOT / f"workflow/scripts/{rule}.py",
        )
        for notes, file, place in (
            ("none", {"path": "a/b", "urls": ["https://example.org/b"]}, {}),
            ("many", {"path": "a/b", "remedy": "ask"}, {"mirror": "/some/where", "offline": True}),
        )
    ]
    wildcards = SimpleNamespace(dataset="ionosphere", stage="dataset")
    for rule in ("fetch", "prepare"):
        one, other = (compared(getattr(each, rule)(), wildcards) for each in inputs)
        assert one == other


def compared(params, wildcards):
    """The values of the parameters that Snakemake compares: of functions of the wildcards alone."""
    return [
        value(wildcards) if callable(value) else value
        for value in params.values()
        if not callable(value) or len(signature(value).parameters) == 1
    ]


SUITE = yaml.safe_load((ROOT / "config/suites/rare.yaml").read_text())
LISTS = [id for id, entry in ENTRIES.items() if "of" in entry["tops"][0]]


def test_copies_entities_or_blocks_of_the_suite_stay_together():
    ids = {data["id"] for data in SUITE["datasets"]} - {"fraud-stream"}
    assert all({"copies_together", "entity", "blocks"} & set(ENTRIES[id]["params"]) for id in ids)


@pytest.mark.parametrize("id", LISTS)
def test_tops_of_rare_sets_are_shares_of_their_positives(id):
    n, n_pos = (ENTRIES[id]["expect"][key] for key in ("items", "positives"))
    quarters = [math.floor(n_pos * share + 0.5) for share in (0.25, 0.5, 1)]
    assert ENTRIES[id]["tops"] == [*({"k": k, "of": n} for k in quarters), {"tau": 0.01}]


def test_how_a_machine_failed_is_no_feature():
    assert {"TWF", "HDF", "PWF", "OSF", "RNF"} <= set(ENTRIES["ai4i2020"]["params"]["drop"])
    steel = ENTRIES["steel-stains"]["params"]
    assert set(range(28, 35)) == {steel["label"], *steel["drop"]}


def test_ratings_in_another_form_are_refused(tmp_path):
    for text, message in (
        ("1 2 3 4\n", "no tab separated integers"),
        ("1\t2\t3\n", "table of shape"),
        ("1\t2\t6\t4\n", "from 1 to 5"),
        ("1\t2\t3\t4\n1\t2\t4\t5\n", "rates an item twice"),
    ):
        (tmp_path / "u.data").write_text(text)
        with pytest.raises(DatasetError, match=message):
            make("movielens", path=tmp_path / "u.data")


def test_kdd_cup_reads_labels_and_features_side_by_side(tmp_path):
    info, features = tmp_path / "Info.txt", tmp_path / "Features.txt"
    info.write_text("-1 0 0 17 3 1 0 12 13 1 2\n 1 5 6 18 3 0 1 10 11 1 2\n")
    features.write_text("0.5 -1e-3 2\n1.5 2 3\n")
    data = make("studies.prec2015.kddcup08.KDDCUP08", info=info, features=features)
    np.testing.assert_array_equal(data.X, [[0.5, -1e-3, 2], [1.5, 2, 3]])
    assert data.y.tolist() == [0, 1]
    features.write_text("0.5 -1 2\n")
    with pytest.raises(DatasetError, match=r"2 lines .* but 1 in"):
        make("studies.prec2015.kddcup08.KDDCUP08", info=info, features=features)
    info.write_text("0 1\n")
    with pytest.raises(DatasetError, match=r"must be 1 or -1, got \[0\]"):
        make("studies.prec2015.kddcup08.KDDCUP08", info=info, features=features)


def citation_table(seed, labels):
    """Return columns of three users with the given labels each, in the form of the published tables."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(3), [len(x) for x in labels])
    columns = {"u_id": user + 70, "paper_id_written": user % 2, "a_id": user, "c_id": user}
    columns |= {name: rng.integers(0, 4, len(user)) for name in CONTACTS}
    columns |= {str(j): rng.normal(size=len(user)) for j in range(100)}
    return columns | {"label": np.concatenate(labels).astype(float)}


def test_citation_tables_are_parts_with_the_active_users(tmp_path):
    labels = [[1, 1, 1, 0], [1, 0, 0, 0], [1] * 3 + [0] * 40]
    tables = [citation_table(seed, labels) for seed in range(3)]
    archive = tmp_path / "citation.tar.gz"
    with tarfile.open(archive, "w:gz") as box:
        for name, table in zip(("Train", "Val", "Test"), tables, strict=True):
            content = pickle.dumps(table, 4)
            info = tarfile.TarInfo(f"citation/CitationDataset_{name}.pkl")
            info.size = len(content)
            box.addfile(info, io.BytesIO(content))
    with pytest.raises(DatasetError, match=f"expected git object id {PUBLISHED}, got"):
        make("studies.papk2020.citation.CITATION", archive=archive)
    content = archive.read_bytes()
    for digest in (hashlib.sha1(b"blob %d\0" % len(content) + content), hashlib.sha256(content)):
        data = make("studies.papk2020.citation.CITATION", archive=archive, digest=digest.hexdigest())
    assert data.X.shape == (12, 155)  # one user of three has three positives and a tenth of positives
    assert data.part.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert data.y.tolist() == [1, 1, 1, 0] * 3
    assert len(set(data.groups)) == 1
    row = [tables[0][c][0] for c in (*CONTACTS, *map(str, range(100)))]
    np.testing.assert_array_equal(data.X[0, :105], row)
    np.testing.assert_array_equal(data.X[0, 105:], np.multiply(row[5:55], row[55:]))


def test_the_citation_entry_pins_the_archive_its_kind_reads():
    """The entry needs nothing more from the user; without network it is unavailable."""
    [data] = configured(datasets=["citation"]).datasets
    assert (data.files["archive"].digest, data.params) == (PUBLISHED, {})


def write_behance(folder, n_items=90, n_users=4, likes=14):
    rng = np.random.default_rng(0)
    records = np.zeros(n_items, RECORD)
    records["item"] = [f"{i:08d}".encode() for i in rng.permutation(10_000)[:n_items]]
    records["x"] = rng.normal(size=(n_items, 4096)).astype(np.float32) * (1 + np.arange(n_items)[:, None] % 3)
    records.tofile(folder / "features.b")
    lines = [
        f"{1000 + u} {records['item'][i].decode()} {1300000000 + t}"
        for u in range(n_users)
        for t, i in enumerate(rng.permutation(n_items)[: likes + u])
    ]
    lines += ["1000 99999999 1300000000", "7 00000001 1300000000"]  # without features; hardly active
    (folder / "likes").write_text("\n".join(lines) + "\n")
    return records


class FirstColumns:
    """UMAP's interface with a plain projection, and its calls; UMAP itself takes a minute to compile."""

    def __init__(self, n_components, **options):
        self.n_components, self.calls = n_components, []
        FirstColumns.last = self

    def transform(self, X):
        self.calls.append(len(X))
        return X[:, : self.n_components]

    fit_transform = transform


def test_behance_is_read_as_a_stream_and_becomes_recommendation(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=FirstColumns))
    records = write_behance(tmp_path)
    params = {
        "appreciations": str(tmp_path / "likes"),
        "features": str(tmp_path / "features.b"),
        **{"min_likes": 14, "max_likes": 16, "n_projected": 64, "n_components": 3, "n_neighbors": 5},
        **{"n_fit": 40, "n_profile": 4},
    }
    spec = {"id": "b", "kind": "studies.papk2020.behance.BEHANCE", "params": params, "seed": 0}
    build(spec, "source", None, tmp_path / "source.npz")
    arrays, _ = load_arrays(tmp_path / "source.npz")
    assert np.bincount(arrays["user"]).tolist() == [14, 15, 16]  # the fourth user likes too many
    projected = arrays["projected"]
    assert projected.dtype == np.float32
    # 64 directions keep squared distances to a relative standard error of sqrt(2 / 64); five of them.
    true = np.square(records["x"][:1] - records["x"][1:]).sum(axis=1)
    kept = np.square(projected[:1] - projected[1:]).sum(axis=1)
    assert (np.abs(kept / true - 1) < 5 * np.sqrt(2 / 64)).all()

    build(spec, "umap", tmp_path / "source.npz", tmp_path / "umap.npz")
    assert FirstColumns.last.calls == [40, 40, 10]  # fitted on 40, the others 40 at a time
    features = load_arrays(tmp_path / "umap.npz")[0]["item_features"]
    centred = projected[:, :3].astype(float)
    np.testing.assert_allclose(features, centred - centred.mean(axis=0), atol=1e-12)
    build(spec, "dataset", tmp_path / "umap.npz", tmp_path / "dataset.npz")
    data = Dataset.load(tmp_path / "dataset.npz")
    assert data.X.shape[1] == 9
    assert np.bincount(data.groups, weights=data.y).tolist() == [10, 11, 12]
    negatives = np.bincount(data.groups, weights=1 - data.y) / [10, 11, 12]
    assert ((negatives >= 3.9) & (negatives <= 6.1)).all()


def test_a_cut_off_feature_file_is_refused(tmp_path):
    records = write_behance(tmp_path)
    path = tmp_path / "features.b"
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with pytest.raises(DatasetError, match="not whole records of 16392"):
        project_items(path, 8, 0)
    path.write_bytes(content + content[: RECORD.itemsize])
    with pytest.raises(DatasetError, match="occurs twice"):
        project_items(path, 8, 0)
    records["x"][3, 5] = np.nan
    records.tofile(path)
    with pytest.raises(DatasetError, match=f"features of item {records['item'][3].decode()!r}"):
        project_items(path, 8, 0)
