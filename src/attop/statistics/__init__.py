"""Comparing methods over data sets: ranks, pairs, profiles, and a sentence where nothing can be said."""

from attop.statistics.bayesian import Posterior, bayesian_signed_rank, correlated_t
from attop.statistics.effects import Effect, effect_sizes
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
    "performance_profile",
    "rank_rows",
    "regret",
    "wilcoxon",
]
