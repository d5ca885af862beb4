"""Losses of scores: value and subgradient, grouped, batched over models.

A surrogate is bound to labels and groups once and then called with scores; see
`attop.surrogates.base`. Kernels are compiled when a surrogate is first bound and called.
"""

from importlib import import_module

_HOMES = {
    "AccuracyAtTop": "accuracy_at_top",
    "BoundSurrogate": "base",
    "ExpPushExp": "exp_push",
    "HingeLoss": "pointwise",
    "HingePush": "convex_push",
    "InfinitePushHinge": "top_push",
    "LogisticLoss": "pointwise",
    "LogisticPush": "convex_push",
    "PAUCStruct": "pauc",
    "PApKAvg": "pap_at_k",
    "PApKMax": "pap_at_k",
    "PApKRamp": "pap_at_k",
    "PApKTS": "pap_at_k",
    "PApKTSConvex": "pap_at_k",
    "PNormPushExp": "pnorm_push",
    "PrecAtKAvg": "prec_at_k",
    "PrecAtKMax": "prec_at_k",
    "PrecAtKRamp": "prec_at_k",
    "PrecAtKStruct": "prec_at_k",
    "SoftPrecAtK": "soft_prec_at_k",
    "Surrogate": "base",
    "TopPushLoss": "top_push",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"attop.surrogates.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'attop.surrogates' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
