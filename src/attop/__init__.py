"""attop: learners, losses and metrics for the top of a ranked list.

``import attop`` is light: estimators and their dependencies load when first used.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "Top": "attop.top",
    "AATP": "attop.estimators",
    "BundleRanker": "attop.estimators",
    "GDPApK": "attop.estimators",
    "GDRanker": "attop.estimators",
    "GreedyPApK": "attop.estimators",
    "InfinitePush": "attop.estimators",
    "KernelAATP": "attop.estimators",
    "OnePMB": "attop.estimators",
    "PNormPush": "attop.estimators",
    "PerceptronAtK": "attop.estimators",
    "ROCSVM": "attop.estimators",
    "RankBoost": "attop.estimators",
    "SGDAtK": "attop.estimators",
    "SVMPAUC": "attop.estimators",
    "SVMPerf": "attop.estimators",
    "SelectPApK": "attop.estimators",
    "SoftTop": "attop.estimators",
    "TopPush": "attop.estimators",
    "TopStack": "attop.estimators",
    "fit_many": "attop.estimators",
    "UndefinedMetricError": "attop.metrics",
    "get_metric": "attop.metrics",
    "make_top_scorer": "attop.metrics",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'attop' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
