"""Words that one class alone has, in columns of text: named where all else does not find these rows."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.build import make
from attop_bench.data.profile import leaks_at_top
from attop_bench.data.profile.leaks_at_top import _tells
from attop_bench.data.profile.look import look
from attop_bench.data.profile.phrases import Phrases
from attop_bench.data.profile.proposal import parameters

COMMON = np.array([f"word{i}" for i in range(300)])
SHARE = 1 / np.arange(1, 301) / np.sum(1 / np.arange(1, 301))


def notes(rng, n, words=9):
    return [" ".join(row) for row in rng.choice(COMMON, (n, words), p=SHARE)]


def base(seed, n=800, share=0.12):
    """Return a number that tells something, notes that tell nothing, and labels."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    latent = risk + rng.normal(size=n)
    y = latent > np.quantile(latent, 1 - share)
    frame = pd.DataFrame({"risk": risk.round(3), "notes": notes(rng, n), "other": notes(rng, n)})
    return rng, frame, y


def looked_at(frame, y, folder):
    frame.assign(y=y.astype(int)).to_csv(folder / "t.csv", index=False)
    return look(folder / "t.csv", "y")


def beside(rng, frame, rows, share, sentence):
    """Return the notes, with a sentence after a share of the rows."""
    chosen = rows & (rng.random(len(rows)) < share)
    return np.where(chosen, frame["notes"] + " " + sentence, frame["notes"])


#: A sentence and the word, or two, that must be named: those of positives, of negatives, of all negatives.
SENTENCES = {
    "of positives": ("account closed for chargeback", True, 0.5, "with 'for chargeback' positive"),
    "of two ordinary words": ("word1 word299", True, 0.6, "with 'word1 word299' positive"),
    "of negatives": ("cleared by the lab", False, 0.5, "with 'cleared by' positive"),
    "of all negatives": ("no complaint", False, 1.0, "'no complaint' positive"),
}


@pytest.mark.parametrize("kind", SENTENCES)
@pytest.mark.parametrize("seed", range(3))
def test_a_sentence_that_one_class_has_is_named_by_its_words(kind, seed, tmp_path):
    sentence, of_positives, share, evidence = SENTENCES[kind]
    rng, frame, y = base(seed)
    frame["notes"] = beside(rng, frame, y == of_positives, share, sentence)
    found = looked_at(frame, y, tmp_path)
    assert list(found.leaks) == ["notes"]
    assert evidence in found.leaks["notes"]
    assert "notes" in parameters(found)["drop"]
    assert parameters(found)["text"] == ["other"]


@pytest.mark.parametrize("seed", range(5))
def test_text_of_chance_has_none(seed, tmp_path):
    _, frame, y = base(10 + seed, share=0.25)
    assert looked_at(frame, y, tmp_path).leaks == {}


def by_topic(rng, y, of_topic):
    """Return notes of which positives have words of a topic, each with a share of the rows."""
    words = np.array([f"topic{i}" for i in range(len(of_topic))])
    has = y[:, None] & (rng.random((len(y), len(of_topic))) < of_topic)
    return [" ".join([*words[row], note]) for row, note in zip(has, notes(rng, len(y)), strict=True)]


def test_a_word_is_not_named_where_other_words_find_its_rows(tmp_path):
    rng, frame, y = base(20)
    frame["notes"] = by_topic(rng, y, [0.4] + [0.2] * 14)
    assert looked_at(frame, y, tmp_path).leaks == {}
    frame["notes"] = by_topic(rng, y, [0.4])
    assert list(looked_at(frame, y, tmp_path).leaks) == ["notes"]


def test_a_word_is_not_named_where_the_numbers_find_its_rows(tmp_path):
    rng, frame, y = base(21)
    frame["notes"] = beside(rng, frame, y, 0.5, "over limit")
    frame[[f"sum{i}" for i in range(8)]] = 1.8 * y[:, None] + rng.normal(size=(len(y), 8))
    assert looked_at(frame, y, tmp_path).leaks == {}


def test_two_columns_that_say_the_same_do_not_hide_each_other(tmp_path):
    rng, frame, y = base(22)
    confirmed = y & (rng.random(len(y)) < 0.6)
    for name, sentence in (("notes", "confirmed by the lab"), ("other", "sent to the court")):
        frame[name] = np.where(confirmed, frame[name] + " " + sentence, frame[name])
    frame["code"] = np.where(confirmed, "K9", rng.choice(["A1", "B2", "C3"], len(y)))
    assert set(looked_at(frame, y, tmp_path).leaks) == {"notes", "other", "code"}


def test_phrases_are_those_of_the_rows_that_were_read():
    texts = pd.Series(["a lot of rain", None, "rain", "of rain of rain", "sun", "x"])
    phrases = Phrases.of_columns(pd.DataFrame({"t": texts}), ["t"], np.array([0, 1, 2, 3]))
    rows = phrases.has.toarray().T.astype(int).tolist()
    assert dict(zip((text for _, text in phrases.names), rows, strict=True)) == {
        "lot": [1, 0, 0, 0],
        "lot of": [1, 0, 0, 0],
        "of": [1, 0, 0, 1],
        "of rain": [1, 0, 0, 1],
        "rain": [1, 0, 1, 1],
        "rain of": [0, 0, 0, 1],
    }
    assert Phrases.of_columns(pd.DataFrame({"t": ["x", None]}), ["t"], np.arange(2)) is None


def test_words_that_say_what_a_part_does_have_no_weight():
    part = np.arange(40) < 16
    has = {
        "within": np.arange(40) < 12,
        "always": np.arange(40) < 17,
        "spread": np.arange(40) % 2 == 0,
    }
    texts = [" ".join(word for word, rows in has.items() if rows[i]) for i in range(40)]
    phrases = Phrases.of_columns(pd.DataFrame({"t": texts}), ["t"], np.arange(40))
    (weight,) = phrases.weights([part], ()).toarray().T
    np.testing.assert_array_equal(weight > 0, has["spread"])
    assert phrases.weights([], ()).shape == (40, 3)
    assert phrases.weights([], ["t"]).shape == (40, 0)


@pytest.mark.filterwarnings("error")
def test_columns_that_are_empty_where_there_is_a_label_tell_nothing(tmp_path):
    _, frame, y = base(0)
    labelled = np.arange(len(y)) >= 300
    frame = frame.assign(day="2024-01-01")
    frame.loc[labelled, ["notes", "risk", "day"]] = None
    frame.assign(y=np.where(labelled, y.astype(int).astype(str), "")).to_csv(tmp_path / "t.csv", index=False)
    assert look(tmp_path / "t.csv", "y", roles={"day": "date"}).leaks == {}


def test_numbers_may_be_read_as_text(tmp_path):
    _, frame, y = base(0)
    frame = frame.assign(code=np.arange(len(y)) % 30, y=y.astype(int))
    frame.to_csv(tmp_path / "t.csv", index=False)
    params = parameters(look(tmp_path / "t.csv", "y", roles={"code": "text"}))
    assert "code" in params["text"]
    assert make("file", **params).n_pos == y.sum()


def test_a_column_is_parted_once_for_all_phrases(monkeypatch):
    parted, factorize = [], pd.factorize
    monkeypatch.setattr(pd, "factorize", lambda *a, **k: parted.append(1) or factorize(*a, **k))
    rows = np.arange(400) < 40
    assert not _tells(pd.Series(np.arange(400)), [rows] * 50)
    assert not _tells(pd.Series(np.arange(400) % 5), [rows] * 50)
    assert _tells(pd.Series(rows), [np.arange(400) < 30, rows])
    assert len(parted) == 3


def test_a_value_is_not_named_where_words_find_its_rows_however_long_the_table(tmp_path, monkeypatch):
    """Others are known only where words were read: among a sample of a long table."""
    monkeypatch.setattr(leaks_at_top, "_ROWS", 3000)
    rng, n = np.random.default_rng(2), 8000
    y = rng.random(n) < 0.09
    found = np.where(y, rng.random(n) < 0.6, rng.random(n) < 0.002)
    telling = np.array([f"hint{i}" for i in range(40)])
    hints = np.where(found[:, None] | (rng.random((n, 6)) < 0.02), rng.choice(telling, (n, 6)), "")
    frame = pd.DataFrame({"notes": [f"{a} {' '.join(b)}" for a, b in zip(notes(rng, n), hints, strict=True)]})
    frame["branch"] = np.where(found & (rng.random(n) < 0.3), "K9", rng.choice(list("abc"), n))
    assert looked_at(frame, y, tmp_path).leaks == {}
