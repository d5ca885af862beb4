"""Surrogates as losses of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    import torch
    from torch import Tensor, nn
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise ImportError(
        f"TopLoss needs PyTorch: pip install 'attop[torch]' ({error})"
    ) from error

from attop._core.sample import RankingSample
from attop._core.typing import Bools, TopLike
from attop.objectives._objective import surrogate_of
from attop.surrogates._base import BoundSurrogate, Surrogate, eligible
from attop.surrogates._pnorm_push import PNormPushExp
from attop.surrogates._pointwise import LogisticLoss
from attop.surrogates._prec_at_k import (
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
    SoftPrecAtK,
)

#: Newton's method takes under 10 steps to the soft cut.
_MOST_STEPS = 100


class TopLoss(nn.Module):
    """A surrogate as a loss of scores.

    Parameters
    ----------
    surrogate : str or Surrogate
        Such as ``"prec@k-soft"``, see `attop.get_surrogate`.
    top : Top, int or mapping, optional
        For a surrogate given by its name, where it has a top; resolved in each group. Of mini-batches give a
        share, such as ``{"tau": 0.05}``.

    Notes
    -----
    ``loss(scores, y, groups=None, sample_weight=None)`` takes scores of shape (n,) on any device and labels,
    groups and weights of shape (n,), tensors or arrays, and returns a tensor without dimensions.

    SoftPrecAtK, PrecAtKRamp, PrecAtKAvg, PrecAtKMax, PNormPushExp and LogisticLoss are tensor operations on
    the device of the scores. All others, and items with weights, go through attop's kernels: the scores are
    copied to the CPU and the gradient back. Labels and groups are laid out on the CPU each time.

    The gradient is a subgradient where the loss has a kink; which one may differ between the two.
    """

    def __init__(self, surrogate: str | Surrogate, top: TopLike | None = None):
        super().__init__()
        self.surrogate = surrogate_of(surrogate, top)

    def forward(
        self, scores: Tensor, y: Any, groups: Any = None, sample_weight: Any = None
    ) -> Tensor:
        """Compute the loss."""
        labels, codes, weight = (
            _array(values) for values in (y, groups, sample_weight)
        )
        if scores.shape != np.shape(labels):
            raise ValueError(
                f"scores must have shape {np.shape(labels)} like y, got {tuple(scores.shape)}"
            )
        native = _NATIVE.get(type(self.surrogate))
        if native is None or weight is not None:
            return _Kernel.apply(scores, self.surrogate.bind(labels, codes, weight))
        # Sums over all items have no lists.
        pooled = isinstance(self.surrogate, LogisticLoss)
        sample = RankingSample.from_labels(labels, None if pooled else codes)
        k, defined, need = _lists(self.surrogate, sample)
        eligible_sample = eligible(sample, defined, need)
        order = torch.as_tensor(eligible_sample.order, device=scores.device)
        losses = []
        for g, k_of_list in enumerate(k[defined].tolist()):
            items = scores[
                order[
                    int(eligible_sample.start[g]) : int(
                        eligible_sample.start[g + 1]
                    )
                ]
            ]
            n_pos = int(eligible_sample.n_pos[g])
            losses.append(
                native(items[:n_pos], items[n_pos:], k_of_list, self.surrogate)
            )
        return torch.stack(losses).mean()

    def extra_repr(self) -> str:
        """Describe the surrogate, for the module's representation."""
        return repr(self.surrogate)


class _Kernel(torch.autograd.Function):
    """A bound surrogate in NumPy as an operation on tensors."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, bound: BoundSurrogate) -> Tensor:
        value, coef = bound(scores.detach().cpu().numpy().astype(np.float64))
        ctx.save_for_backward(
            torch.as_tensor(coef, dtype=scores.dtype, device=scores.device)
        )
        return scores.new_tensor(value)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (coef,) = ctx.saved_tensors
        return gradient * coef, None


def _array(values: Any) -> Any:
    if values is None:
        return None
    return (
        values.detach().cpu().numpy()
        if isinstance(values, Tensor)
        else np.asarray(values)
    )


def _lists(surrogate: Any, sample: RankingSample) -> tuple[Any, Bools, str]:
    """Compute k of each list, in which lists the surrogate is defined, and what that takes."""
    if hasattr(surrogate, "top"):
        return surrogate._group_k(sample.n_pos, sample.n_neg)
    both = (sample.n_pos > 0) & (sample.n_neg > 0)
    anything = isinstance(surrogate, LogisticLoss)
    return sample.n_pos, both | anything, "a positive and a negative"


def _soft(pos: Tensor, neg: Tensor, k: int, surrogate: SoftPrecAtK) -> Tensor:
    z = torch.cat([pos, neg]) / surrogate.bandwidth
    if k == len(z):
        return 1.0 - len(pos) / k + 0.0 * z.sum()
    cut = _soft_cut(z.detach(), k)
    sigma = torch.sigmoid(z - cut)
    # One more Newton step changes the cut by rounding, and gives it its derivative.
    cut = cut + (sigma.sum() - k) / (sigma * (1.0 - sigma)).sum().detach()
    return 1.0 - torch.sigmoid(z[: len(pos)] - cut).sum() / k


def _soft_cut(z: Tensor, k: int) -> Tensor:
    """Solve sum sigma(z - cut) = k by Newton's method on the logit of the mean, within a bracket."""
    n = len(z)
    target = float(np.log(k / (n - k)))
    low = z.min() - target
    high = z.max() - target
    cut = torch.topk(z, k).values[-1].clamp(low, high)
    for _ in range(_MOST_STEPS):
        sigma = torch.sigmoid(z - cut)
        inside = sigma.sum()
        outside = torch.sigmoid(cut - z).sum()
        low = torch.where(inside > k, cut, low)
        high = torch.where(inside > k, high, cut)
        step = (
            (torch.log(inside / outside) - target)
            * inside
            * outside
            / ((sigma * (1.0 - sigma)).sum() * n)
        )
        new = cut + step
        new = torch.where((new > low) & (new < high), new, (low + high) / 2)
        if torch.abs(new - cut) <= torch.finfo(z.dtype).eps * (
            1.0 + torch.abs(cut)
        ):
            break
        cut = new
    return cut


def _ramp(pos: Tensor, neg: Tensor, k: int, surrogate: PrecAtKRamp) -> Tensor:
    m = min(k, len(neg))
    highest = torch.topk(pos, k).values.flip(0)[:m]
    return torch.relu(1.0 + torch.topk(neg, m).values - highest).sum()


def _max(pos: Tensor, neg: Tensor, k: int, surrogate: PrecAtKMax) -> Tensor:
    m = min(k, len(pos), len(neg))
    return torch.relu(
        1.0 + torch.topk(neg, m).values - torch.topk(pos, m, largest=False).values
    ).sum()


def _avg(pos: Tensor, neg: Tensor, k: int, surrogate: PrecAtKAvg) -> Tensor:
    # The maximum is over tops that miss a positive, where there is room for all.
    most = k if k <= len(pos) else len(pos) - 1
    inside = torch.arange(max(0, k - len(neg)), most + 1, device=pos.device)
    zero = pos.new_zeros(1)
    called = torch.cat(
        [zero, torch.cumsum(torch.sort(neg, descending=True).values, 0)]
    )[k - inside]
    above = torch.cat(
        [zero, torch.cumsum(torch.sort(pos, descending=True).values, 0)]
    )
    missed = len(pos) - inside
    share = (min(k, len(pos)) - inside).to(pos.dtype) / missed.clamp(min=1)
    return ((k - inside) + called - share * (above[-1] - above[inside])).max()


def _p_norm(pos: Tensor, neg: Tensor, k: int, surrogate: PNormPushExp) -> Tensor:
    p = surrogate.p
    return p * torch.logsumexp(-pos, 0) + torch.logsumexp(p * neg, 0)


def _logistic(pos: Tensor, neg: Tensor, k: int, surrogate: LogisticLoss) -> Tensor:
    return torch.logaddexp(pos.new_zeros(1), torch.cat([-pos, neg])).mean()


#: Losses of the positives' and negatives' scores of one list.
_NATIVE: dict[type[Surrogate], Callable[..., Tensor]] = {
    SoftPrecAtK: _soft,
    PrecAtKRamp: _ramp,
    PrecAtKMax: _max,
    PrecAtKAvg: _avg,
    PNormPushExp: _p_norm,
    LogisticLoss: _logistic,
}
