"""Comparing methods over data sets: ranks, pairs, profiles, and a sentence where nothing can be said."""

from attop.statistics.bayesian import Posterior, bayesian_signed_rank, correlated_t
from attop.statistics.effects import Effect, effect_sizes
from attop.statistics.matrix import MetricMatrix, metric_matrix
from attop.statistics.profiles import Profile, Regret, performance_profile, regret
from attop.statistics.ranks import (
    Comparison,
    Friedman,
    Pair,
    against_control,
    all_pairs,
    cliques,
    critical_difference,
    friedman,
    holm,
    mean_ranks,
    rank_rows,
)
from attop.statistics.resampling import Bootstrap, bootstrap_means
from attop.statistics.two_methods import CorrectedT, SignedRank, corrected_t_test, wilcoxon

__all__ = [
    "Bootstrap",
    "Comparison",
    "CorrectedT",
    "Effect",
    "Friedman",
    "MetricMatrix",
    "Pair",
    "Posterior",
    "Profile",
    "Regret",
    "SignedRank",
    "against_control",
    "all_pairs",
    "bayesian_signed_rank",
    "bootstrap_means",
    "cliques",
    "corrected_t_test",
    "correlated_t",
    "critical_difference",
    "effect_sizes",
    "friedman",
    "holm",
    "mean_ranks",
    "metric_matrix",
    "performance_profile",
    "rank_rows",
    "regret",
    "wilcoxon",
]
