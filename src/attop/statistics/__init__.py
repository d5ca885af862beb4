"""Comparing methods over data sets: ranks, pairs, regret, and a sentence where nothing can be said."""

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
from attop.statistics.regret import Bootstrap, Regret, bootstrap_means, regret
from attop.statistics.two_methods import (
    CorrectedT,
    Effect,
    Posterior,
    SignedRank,
    bayesian_signed_rank,
    corrected_t_test,
    effect_sizes,
    wilcoxon,
)
from attop.statistics.watch import Watched, watch

__all__ = [
    "Bootstrap",
    "Comparison",
    "CorrectedT",
    "Effect",
    "Friedman",
    "Pair",
    "Posterior",
    "Regret",
    "SignedRank",
    "Watched",
    "against_control",
    "all_pairs",
    "bayesian_signed_rank",
    "bootstrap_means",
    "cliques",
    "corrected_t_test",
    "critical_difference",
    "effect_sizes",
    "friedman",
    "holm",
    "mean_ranks",
    "rank_rows",
    "regret",
    "watch",
    "wilcoxon",
]
