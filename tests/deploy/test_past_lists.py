"""Past lists are judged one by one: what is wrong with one is said of it, and the others are judged."""

import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop.experiment import HeldOut, next_list
from attop.extending import count_noun, format_hits
from attop.statistics import MOST_FURTHER, watch
from attop_bench.cli.main import main
from attop_bench.deploy.promise import Promise, promise_path, read_promise
from attop_bench.deploy.watched import PastList, three_numbers, verdict_sentence
from attop_bench.files import write_csv, write_json

K = 60
PROMISE = {"k": K, "length": 1500, "expected": 33.07, "low": 22.0, "high": 44.0, "least": 25.8}


@pytest.fixture
def lists(tmp_path, monkeypatch):
    """A folder for lists, and the function that writes one with so many hits."""
    monkeypatch.chdir(tmp_path)
    Path("lists").mkdir()

    def write(name, hits=30, labels=None, promise=PROMISE, **how):
        rows = pd.DataFrame(
            {"rank": range(1, K + 1), "score": np.linspace(2, 1, K) + random.Random(name).random()}
        )
        rows["label"] = [1] * hits + [0] * (K - hits) if labels is None else labels
        rows.to_csv(f"lists/{name}", index=False, **how)
        if promise is not None:
            write_json(promise_path(f"lists/{name}"), {**Promise(**promise).model_dump()})

    return write


@pytest.fixture
def watched(capsys):
    """Return what ``attop watch`` says, and its exit status."""

    def watched(*options, status=0):
        assert main(["watch", "lists", *options]) == status
        said = capsys.readouterr()
        return said.err if status else said.out

    return watched


def test_expected_promised_and_found_are_three_numbers(lists, watched):
    lists("1.csv", hits=24)
    said = watched()
    assert "expected 33.1 (22 to 44), promised at least 25.8, found 24 of 60 rows of 1 list." in said
    assert "more lists like these would tell." in said
    lists("2.csv", hits=25)
    assert "expected 66, promised at least 52, found 49 of 120 rows of 2 lists." in watched()
    assert "promised at least 24, found 49 of 120" in watched("--promised", "0.2")


@pytest.mark.parametrize("hits", [3, 20, 24, 33, 45])
def test_so_many_more_lists_would_tell(hits):
    """They give a verdict, and one fewer gives none."""
    rate = PROMISE["least"] / K
    result = watch([hits], [K], rate)
    said = verdict_sentence([PastList("1.csv", K, hits, 0, Promise(**PROMISE))])
    if result.status != "cannot tell":
        assert "would" not in said
    elif result.lists_to_tell is None:
        assert said.endswith(f" Even {MOST_FURTHER} more lists like these would not tell.")
    else:
        assert f" {count_noun(result.lists_to_tell, 'more list')} like these would tell." in said


def test_a_missing_label_holds_back_its_row(lists, watched):
    lists("1.csv", labels=[1] * 20 + [0] * 20 + [None] * 20)
    lists("2.csv", labels=[None] * K)
    said = watched()
    assert "1.csv: 20 rows of 60 without a label yet" in said
    assert "Waiting for labels: 2.csv" in said
    assert "expected 22, promised at least 17.2, found 20 of 40 rows of 1 list." in said
    assert said.rstrip().endswith("Not judged: 1 waiting.")


ODD = {
    "empty.csv": lambda path: path.touch(),
    "folder.csv": lambda path: path.mkdir(),
    "link.csv": lambda path: path.symlink_to("nowhere"),
    "loop.csv": lambda path: path.symlink_to("loop.csv"),
    "pipe.csv": os.mkfifo,
    "picture.csv": lambda path: path.write_bytes(bytes(range(256))),
    "header.csv": lambda path: path.write_text("rank,score,label\n"),
    "no-label.csv": lambda path: path.write_text("rank,score\n1,2\n"),
    "~$lock.csv": lambda path: path.write_bytes(b"\x05user" + b" " * 49),
    "no-promise.csv": lambda path: path.write_text("rank,label\n1,1\n"),
}


def test_what_is_no_list_is_named_and_passed_over(lists, watched):
    """An empty file, a folder, links to nothing, a pipe that is never written to, and more."""
    lists("good-1.csv")
    lists("good-2.CSV")
    before = watched().partition(" of 120 rows of 2 lists")[0]
    for name, make in ODD.items():
        make(Path("lists", name))
    lists("locked.csv")
    promise_path("lists/locked.csv").unlink()
    promise_path("lists/locked.csv").mkdir()
    said = watched()
    for name in (*ODD, "locked.csv"):
        assert f"{name} is passed over: " in said
    assert before in said
    assert said.rstrip().endswith("Not judged: 11 passed over.")
    for name in ("good-1.csv", "good-2.CSV"):
        Path("lists", name).unlink()
    said = watched(status=1)
    assert "lists holds no list (*.csv) that can be judged" in said
    assert "folder.csv is passed over: " in said
    assert main(["watch", "nowhere"]) == 1


def test_lists_that_promise_nothing_are_named_and_the_others_judged(lists, watched):
    lists("weak.csv", promise={**PROMISE, "least": None, "reason": "such lists may hold none"})
    assert "weak.csv promises nothing, and is not judged: such lists may hold none" in watched(status=1)
    lists("good.csv")
    said = watched()
    assert "weak.csv promises nothing, and is not judged: such lists may hold none" in said
    assert "found 30 of 60 rows of 1 list." in said
    assert said.rstrip().endswith("Not judged: 1 without a promise.")
    assert "found 60 of 120 rows of 2 lists" in watched("--promised", "0.4")
    write_json("lists/weak.promise.json", {**PROMISE, "least": 0.0, "prevalence": None})  # of an older attop
    assert "weak.csv promises nothing" in watched()


@pytest.mark.parametrize("promised", ["0", "1", "nan", "-1", "inf"])
def test_a_precision_that_cannot_be_promised_is_named(promised, lists, watched):
    lists("1.csv")
    assert f"--promised must be a number above 0 and below 1, got {promised}"[:20] in watched(
        f"--promised={promised}", status=1
    )


def test_a_copy_is_known_by_its_scores(tmp_path, lists, watched):
    lists("1.csv")
    Path("lists/2.csv").write_bytes(Path("lists/1.csv").read_bytes())
    said = watched()
    assert "2.csv is passed over: it is 1.csv again" in said
    for name in ("1.csv", "2.csv"):  # lists without scores may well have the same hits
        Path("lists", name).write_text("rank,label\n" + "".join(f"{i},{i % 2}\n" for i in range(1, 11)))
    assert "found 10 of 20 rows of 2 lists" in watched("--promised", "0.4")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_list_is_read_as_a_spreadsheet_saves_it(mark, encoding, lists, watched):
    lists("1.csv")
    rows = pd.read_csv("lists/1.csv").assign(**{"a;b;c;d;e;f": "Käse; 5 €", "long": "x"})
    rows.loc[3, "long"] *= 200_000
    rows["label"] = rows["label"].map({1: "TRUE", 0: "FALSE"})
    rows.to_csv("lists/1.csv", index=False, sep=mark, encoding=encoding)
    assert "found 30 of 60 rows of 1 list" in watched("--positive", "True")


def weak_models(rng, rivals=8):
    """Held-out scores that say nothing, of several models, among which the best was chosen."""
    rows, labels = np.arange(600), (rng.random(600) < 0.05).astype(int)
    models = [[HeldOut(rows, labels, rng.normal(size=600))] for _ in range(rivals)]
    return sorted(models, key=lambda m: -labels[np.argsort(-m[0].y_score)[:30]].sum())


def test_every_promise_that_is_written_is_read_and_judged(lists, watched):
    """Weak models chosen among rivals, perfect ones, few positives, groups with one test part and many."""
    rng, promises = np.random.default_rng(0), []
    for _ in range(3):
        first, *others = weak_models(rng)
        promises.append(Promise.of_list(next_list(first, 30, 600, rivals=others), None))
    assert any(promise.least is None for promise in promises)
    labels = np.arange(400) < 40
    sure = [HeldOut(np.arange(400), labels.astype(int), -np.arange(400.0))]
    promises += [Promise.of_list(next_list(sure, k, 400), share) for k in (10, 400) for share in (None, 0.2)]
    promises.append(
        Promise.of_list(
            next_list([HeldOut(np.arange(4), np.array([1, 0, 0, 0]), np.arange(4.0))], 2, 4), None
        )
    )
    for low in (None, 0.0, 0.3, 1.0):
        precision = {"mean": 0.5 if low != 1 else 1.0, "low": low, "high": None if low is None else 1.0}
        promises.append(Promise.of_groups(K, 600, precision, None))
        promises.append(Promise.of_groups(K, 600, precision, 0.2))
    judged = 0
    for number, promise in enumerate(promises):
        rows = pd.DataFrame({"rank": range(promise.k), "score": rng.normal(size=promise.k), "label": 1})
        write_csv(f"lists/{number}.csv", rows)
        write_json(promise_path(f"lists/{number}.csv"), promise.model_dump())
        assert read_promise(Path(f"lists/{number}.csv")) == promise
        judged += promise.least is not None
    assert f"rows of {judged} lists" in watched()
    assert 0 < judged < len(promises)


def test_the_words_of_several_lists_add_up():
    rng = np.random.default_rng(1)
    for _ in range(20):
        some = []
        for _ in range(rng.integers(2, 6)):
            k = int(rng.integers(5, 400))
            waiting = int(rng.integers(0, k))
            least, expected = np.sort(rng.uniform(0, k, 2)).tolist()
            promise = Promise(k=k, length=1000, expected=expected, low=None, high=None, least=least)
            rows = k - waiting
            some.append(PastList("x.csv", rows, int(rng.integers(0, rows + 1)), waiting, promise))
        total = sum(one.rows for one in some)
        due = sum(one.promise.least * one.rows / one.promise.k for one in some)
        said = three_numbers(some)
        assert f"promised at least {format_hits(due, total)}, " in said
        assert f"found {sum(one.hits for one in some):,} of {total:,} rows of {len(some)} lists" in said
