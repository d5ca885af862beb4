"""Estimators with scikit-learn's interface; each loads when it is first used."""

from importlib import import_module

#: Where each public name is defined.
HOMES = {
    "AATP": "attop.estimators.aatp",
    "BundleRanker": "attop.estimators.bundle_ranker",
    "GDPApK": "attop.estimators.gd_papk",
    "GDRanker": "attop.estimators.gd_ranker",
    "GreedyPApK": "attop.estimators.greedy_papk",
    "InfinitePush": "attop.estimators.infinite_push",
    "KernelAATP": "attop.estimators.kernel_aatp",
    "LinearRanker": "attop.estimators.base",
    "OnePMB": "attop.estimators.one_pmb",
    "PNormPush": "attop.estimators.pnorm_push",
    "PerceptronAtK": "attop.estimators.perceptron_at_k",
    "ROCSVM": "attop.estimators.roc_svm",
    "RankBoost": "attop.estimators.rankboost",
    "SGDAtK": "attop.estimators.sgd_at_k",
    "SVMPAUC": "attop.estimators.svm_pauc",
    "SVMPerf": "attop.estimators.svm_perf",
    "SelectPApK": "attop.estimators.select_papk",
    "SoftTop": "attop.estimators.soft_top",
    "TopPush": "attop.estimators.top_push",
    "TopStack": "attop.estimators.top_stack",
    "fit_many": "attop.estimators.base",
}

__all__ = list(HOMES)


def __getattr__(name: str) -> object:
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'attop.estimators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
