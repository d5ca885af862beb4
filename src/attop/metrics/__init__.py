"""Metrics of the top of a ranked list: exact, ties declared."""

from attop.metrics.card_precision import CardPrecision, card_precision
from attop.metrics.cumulative_gain import dcg, ndcg, ndcg_aatp
from attop.metrics.metric import Metric, MetricValue, Need, UndefinedMetricError
from attop.metrics.operating_point import precision_at_recall, recall_at_precision, tpr_at_fpr
from attop.metrics.overlap import jaccard_at_k, overlap_at_k, rank_biased_overlap
from attop.metrics.pap import macro_pap_at_k, micro_pap_at_k, pap_at_k, pap_at_k_risk, partial_auc
from attop.metrics.precision import (
    average_precision,
    f_beta_at_k,
    hit_at_k,
    lift_at_k,
    precision_at_k,
    recall_at_k,
)
from attop.metrics.ranks import bedroc, positives_at_top, rank_of_last_positive, reciprocal_rank, rie, top_1
from attop.metrics.registry import METRICS, get_metric
from attop.metrics.roc import RocPoints, auc, auc_at_k, roc_points
from attop.metrics.scorer import TopScorer, make_top_scorer

__all__ = [
    "METRICS",
    "CardPrecision",
    "Metric",
    "MetricValue",
    "Need",
    "RocPoints",
    "TopScorer",
    "UndefinedMetricError",
    "auc",
    "auc_at_k",
    "average_precision",
    "bedroc",
    "card_precision",
    "dcg",
    "f_beta_at_k",
    "get_metric",
    "hit_at_k",
    "jaccard_at_k",
    "lift_at_k",
    "macro_pap_at_k",
    "make_top_scorer",
    "micro_pap_at_k",
    "ndcg",
    "ndcg_aatp",
    "overlap_at_k",
    "pap_at_k",
    "pap_at_k_risk",
    "partial_auc",
    "positives_at_top",
    "precision_at_k",
    "precision_at_recall",
    "rank_biased_overlap",
    "rank_of_last_positive",
    "recall_at_k",
    "recall_at_precision",
    "reciprocal_rank",
    "rie",
    "roc_points",
    "top_1",
    "tpr_at_fpr",
]
