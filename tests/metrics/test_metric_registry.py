"""Names of metrics, what each says of itself, and names that are wrong."""

import pickle

import pytest

from attop.metrics import METRICS, get_metric
from attop.metrics.registry import DEFAULT_METRICS
from support.ranked_lists import NAMES


def test_names_are_stable():
    assert " ".join(METRICS) == (
        "precision@k recall@k hit@k ap dcg@k dcg ndcg@k ndcg ndcg-aatp@k positives@top reciprocal-rank "
        "auc pauc@k pap@k micro-pap@k lift@k f1@k top-1 last-rank "
        "rie-20 bedroc-20 recall@precision-0.9 precision@recall-0.5 tpr@fpr-0.01"
    )
    assert list(METRICS)[:15] == list(DEFAULT_METRICS)


@pytest.mark.parametrize("name", NAMES)
def test_metric_describes_itself(name):
    metric = get_metric(name)
    assert metric is METRICS[name] is get_metric(metric)
    assert metric.name == name
    assert metric.definition.endswith(".")
    assert metric.edge_cases.endswith(".")
    assert metric.needs_top == name.endswith("@k")
    assert metric.higher_is_better == (name != "last-rank")
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    ("wrong", "near"), [("pAp@k", "pap@k"), ("precison@k", "precision@k"), ("AUC", "auc")]
)
def test_unknown_name_suggests_the_near_ones(wrong, near):
    with pytest.raises(ValueError, match=f"did you mean.*'{near}'"):
        get_metric(wrong)


def test_unknown_name_without_a_near_one_lists_all():
    with pytest.raises(ValueError, match=r"choose one of: precision@k, .*, micro-pap@k, .*, tpr@fpr-0.01"):
        get_metric("accuracy of everything")
