"""Each sentence of a page has the evidence it speaks of: no typed result, rows not seen, choices as named."""

import ast
import re

import numpy as np
import pandas as pd
import pytest
from studies.movielens import ways as three_ways
from studies.movielens.ways import CHOICES, FIXED, VALIDATION

from attop.learners import GDRanker
from attop_bench.data.build import make
from attop_bench.papers.page import read_tables
from attop_bench.run.config import read_yaml
from attop_bench.run.paper import configuration_of
from support import ROOT
from support.small_run import configured

PAGES = sorted(file.parent.name for file in (ROOT / "docs/papers").glob("*/README.md"))
TYPED = pd.read_csv(ROOT / "tests/papers/typed.csv", dtype=str)
#: Why a number may stand in a text: it is the paper's, part of a definition, or a setting of the run.
KINDS = {"printed", "definition", "setting"}

#: Digits that are names: of years, places in a paper, data sets, tops, settings of a row.
NAMES = [
    r"\b(?:18|19|20)\d\d(?:-\d\d)*(?: to \d\d-\d\d)?(?:-\d+)?\b",
    r"\b(?:tables?|figures?|sections?|theorems?|coroll\w+|lemmas?|problem) \(?\d[\d.]*\)?"
    r"(?:(?:,| and| to) \d[\d.]*)*",
    r"\b[A-Za-z_]+[@-]\d+\b",
    r"\b[A-Za-z]*[A-Za-z]\d+\w*\b",
    r"\b(?:k|p|kappa|tau|w|lam|C|gamma|phi) = [\d./]+\w?(?: (?:to|→|for p =|and|against) \d+)*(?: → \d+)*",
    r"\b\d[A-Z]+\b",
    r"\b95%",
    r"0/1\b",
]


def module_of(page):
    name = page.replace("-", "_")
    folder = ROOT / "studies" / name
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def typed_numbers(text, names=NAMES):
    """Return the numbers of a text that are no names."""
    for name in names:
        text = re.sub(name, " ", text, flags=re.I)
    return re.findall(r"\d[\d,.]*\d|\d", text)


def texts_of(source):
    """Return the sentences in a module's strings, f-strings in one piece; not its docstrings and queries."""
    tree = ast.parse(source)
    passed_over = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed_over |= {id(part) for part in ast.walk(node) if part is not node}
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("query", "map", "format"):
            passed_over |= {id(argument) for argument in node.args}
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "" for part in node.values]
            yield "".join(parts)


def sentences_with_numbers(source):
    return {
        text.strip(): typed_numbers(text)
        for text in texts_of(source)
        if " " in text.strip() and typed_numbers(text)
    }


@pytest.mark.parametrize("page", PAGES)
def test_no_digit_of_a_finding_is_typed(page):
    typed = sentences_with_numbers(module_of(page).read_text(encoding="utf-8"))
    allowed = TYPED[TYPED["page"] == page]
    assert set(allowed["kind"]) <= KINDS
    assert {*typed} == {*allowed["text"]}, "take n and results from the tables; else name it in typed.csv"


@pytest.mark.parametrize(
    "sentence",
    [
        "means over 30 trials",
        "chosen in 21 of 30 trials on diabetes; a grid to 1000 gives 0.089",
        "Wilcoxon's test over the partitions (20 standardised, 10 raw)",
        "(Spearman -0.37, p 0.37)",
        "the runs of 300 in which it is higher",
    ],
)
def test_a_typed_number_is_seen(sentence):
    assert sentences_with_numbers(f"said = {sentence!r}")
    assert sentences_with_numbers(f"said = f'{{name}} {sentence.translate({39: None})}'")


def test_names_are_no_numbers():
    named = "Table 2 of Rudin (2005), figures 2 to 7, precision@20 on IJCNN1, p = 1 to 64, 95% intervals"
    assert not typed_numbers(named)


@pytest.mark.parametrize("page", PAGES)
def test_measured_stands_on_rows_that_the_model_has_not_seen(page):
    folder = ROOT / "docs/papers" / page
    text = re.sub(r"^\|.*$", "", (folder / "README.md").read_text(encoding="utf-8"), flags=re.M)
    for sentence in re.split(r"(?<=[.:])\s", text):
        if re.search(r"\bmeasured\b", sentence):
            assert re.search(r"not seen|not train|unseen|the paper does not say", sentence, re.I), sentence
    for name, table in read_tables(folder).items():
        if "measured" in table:
            learnt_online = table["statement"].str.startswith("PREC")
            assert table.loc[learnt_online, "measured"].isna().all(), f"{name}: those batches train"
            assert not (table["measured"].notna() & table.get("counted", np.nan).notna()).any()


def choice_of(config, dataset):
    """Return how a configuration chooses the settings of a data set's rows."""
    methods = [method for method in config.methods if method.id not in dataset.skip]
    if not any(method.param_grid for method in methods):
        return "none"
    options = dataset.protocol.options
    a_third_part = len(options.get("fractions", [])) == 3 or dataset.protocol.kind == "given"
    return "validation part" if a_third_part and "inner_folds" not in options else "nested"


@pytest.mark.parametrize("page", PAGES)
def test_settings_of_a_row_are_chosen_as_its_heading_says(page):
    config = configured(**read_yaml(ROOT / configuration_of(f"studies.{page.replace('-', '_')}")))
    by_name = {name: dataset for dataset in config.datasets for name in (dataset.id, dataset.title)}
    for name, table in read_tables(ROOT / "docs/papers" / page).items():
        if "selection" in table:
            for dataset, rows in table.groupby("dataset"):
                if (said := {*rows["selection"]}) <= {"nested", "validation part"} and dataset in by_name:
                    assert said == {choice_of(config, by_name[dataset])}, f"{name}, {dataset}"
        if "way" in table:
            chosen = table.groupby("way")["choice"].unique()
            assert {way: [*its] for way, its in chosen.items()} == {
                way: [CHOICES[way]] for way in chosen.index
            }


def test_ways_as_worded_and_at_the_optimum_choose_by_validation_and_the_code_has_one_setting():
    assert CHOICES["words"] == CHOICES["exact"] == VALIDATION
    assert CHOICES["code"] == FIXED


@pytest.mark.filterwarnings("ignore:.*stopped .max_iter.")
def test_as_worded_keeps_the_lam_that_is_best_in_validation():
    data = make("ratings", 0, n_users=30, n_items=80, n_rated=(30, 50))
    study = three_ways._Study(data, 0, 1)
    settings = {"eta": three_ways._WORDED_ETA, "random_state": study.seed("start", 0)}
    models = [
        GDRanker("pauc", top=2, max_iter=5, lam=lam, **settings).fit(
            study.X["train"], study.y["train"], study.groups["train"]
        )
        for lam in three_ways._WORDED_LAM
    ]
    values = [study.micro("validation", study.X["validation"] @ model.coef_, 2) for model in models]
    assert len({*np.round(values, 12)}) > 1, "lam decides here"
    by_method = {method: scores for method, way, scores in study._words(2, 1, 5)}
    best = models[int(np.argmax(values))]
    np.testing.assert_allclose(by_method["svm-pauc"][0], study.X["test"] @ best.coef_, atol=1e-10)
