"""Columns of text: TF-IDF weights learnt within each training part, from a CSV to a list."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from attop.metrics import precision_at_k
from attop_bench.data.base import Dataset
from attop_bench.data.build import make
from attop_bench.data.columns.preparation import text_weights
from attop_bench.data.kinds.options import RawOptions
from attop_bench.data.kinds.raw import read_raw_table
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters


def screening(n=1200, share=0.03, seed=1):
    """Made titles and abstracts: Zipf's words, of which relevant ones have more of 20, and a telling year."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{a}{b}{c}" for a in "bdfgklmnp" for b in "aeiou" for c in "bdfgklmnprst"])
    often = 1 / np.arange(1, len(words) + 1)
    relevant = np.arange(n) < share * n
    year = rng.integers(1990, 2015, n) + 6 * relevant

    def text(row, length):
        usual = rng.choice(len(words), length, p=often / often.sum())
        topic = rng.integers(200, 220, length)
        return " ".join(words[np.where(rng.random(length) < 0.12 * relevant[row], topic, usual)])

    columns = {"title": [text(i, 8) for i in range(n)], "abstract": [text(i, 60) for i in range(n)]}
    frame = pd.DataFrame(
        {"record_id": range(n), **columns, "year": year, "label_included": relevant.astype(int)}
    )
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    path = tmp_path_factory.mktemp("review") / "review.csv"
    screening().to_csv(path, index=False)
    return look(path)


def test_text_is_seen_as_such_and_offered(found):
    assert (found.label.column, found.label.positive) == ("label_included", 1)
    assert parameters(found)["text"] == ["title", "abstract"]
    assert parameters(found)["drop"] == ["record_id"]
    assert any("title, abstract: text, read as the weights of its words" in said for said in found.complaints)


def test_weights_are_those_of_scikit_learn_on_the_training_rows_alone(found):
    dataset = make("file", **parameters(found))
    train, test = np.arange(0, 1200, 2), np.arange(1, 1200, 2)
    prepare = dataset.transformer("standard").fit(dataset.X.iloc[train])
    prepared = prepare.transform(dataset.X.iloc[test])
    assert prepared.format == "csr"
    text = pd.read_csv(found.path)["abstract"]
    expected = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(text[train])
    last = prepared[:, -len(expected.vocabulary_) :]  # after the year and the words of titles
    np.testing.assert_allclose(last.toarray(), expected.transform(text[test]).toarray())


def test_words_find_at_least_twice_what_the_year_does(found, tmp_path):
    make("file", **parameters(found)).save(tmp_path / "d.npz")
    dataset = Dataset.load(tmp_path / "d.npz")
    train, test = np.arange(0, 1200, 2), np.arange(1, 1200, 2)

    def hits(columns, prepare):
        model = make_pipeline(prepare, LogisticRegression(C=10, class_weight="balanced"))
        model.fit(dataset.X.iloc[train][columns], dataset.y[train])
        scores = model.decision_function(dataset.X.iloc[test][columns])
        return precision_at_k(dataset.y[test], scores, 18)

    with_words = hits(list(dataset.X), dataset.transformer("standard"))
    assert with_words >= 2 * hits(["year"], "passthrough")


def test_a_text_that_is_missing_has_no_words(tmp_path):
    frame = screening(100, 0.2).drop(columns="record_id")
    frame.loc[::7, "abstract"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = {"path": str(tmp_path / "t.csv"), "label": "label_included", "text": ["title", "abstract"]}
    table = read_raw_table(RawOptions.of(options))
    assert (table.features["abstract"][::7] == "").all()
    assert text_weights().fit_transform(table.features["abstract"])[::7].nnz == 0


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_cell_may_hold_a_document(separator, tmp_path):
    frame = pd.DataFrame({"a": range(30), "text": [f"some word {i}" for i in range(30)], "y": [0, 0, 1] * 10})
    frame.loc[7, "text"] = "word " * 30_000
    frame.to_csv(tmp_path / "t.csv", index=False, sep=separator)
    assert look(tmp_path / "t.csv", label="y").column("text").kind in ("category", "text", "identifier")
    rows = read_raw_table(
        RawOptions(path=tmp_path / "t.csv", label="y", reader={"separator": separator.replace("\t", "tab")})
    ).rows
    assert len(rows.text("text")[7]) == 149_999
