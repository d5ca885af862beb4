"""Surrogates in PyTorch against NumPy: values, gradients, groups, weights; and that a network learns."""

import numpy as np
import pytest

from attop import Top
from attop.surrogates import PNormPushExp, PrecAtKAvg, PrecAtKRamp, SoftPrecAtK
from attop.surrogates._registry import SURROGATES, get_surrogate

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from attop.objectives._torch import _NATIVE, TopLoss  # noqa: E402

RNG = np.random.default_rng(0)
N = 80
Y = (RNG.random(N) < 0.3).astype(int)
GROUPS = RNG.integers(0, 3, N)
WEIGHT = RNG.uniform(0.5, 2.0, N)


def torch_value_and_gradient(loss, scores, *sample, dtype=torch.float64):
    s = torch.tensor(scores, dtype=dtype, requires_grad=True)
    value = loss(s, *sample)
    value.backward()
    return value.item(), s.grad.numpy()


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("name", SURROGATES)
def test_every_surrogate_is_itself(name, groups):
    for scale in (1e-3, 1.0, 50.0):
        scores = scale * RNG.normal(size=N)
        expected = get_surrogate(name, Top(k=5)).value_and_coef(scores, Y, groups)
        found = torch_value_and_gradient(TopLoss(name, 5), scores, Y, groups)
        assert found[0] == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("k", [1, 2, 24, 60, 79, 80])
@pytest.mark.parametrize("kind", _NATIVE)
def test_tensor_operations_at_every_k(kind, k):
    surrogate = get_surrogate(kind.name, Top(k=k))
    scores = np.random.default_rng(k).normal(size=N)
    if (kind is PrecAtKRamp and k > Y.sum()) or (kind is PrecAtKAvg and k > N - 1):
        for refuses in (surrogate.bind, lambda y: TopLoss(surrogate)(torch.tensor(scores), y)):
            with pytest.raises(ValueError, match="the sample needs at least k positives"):
                refuses(Y)
        return
    for spread in (0.1, 1.0, 10.0):
        expected = surrogate.value_and_coef(spread * scores, Y)
        found = torch_value_and_gradient(TopLoss(surrogate), spread * scores, Y)
        assert found[0] == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("scores", [np.zeros(N), np.repeat([0.0, 1.0], N // 2), 1e4 * RNG.normal(size=N)])
@pytest.mark.parametrize("width", [0.01, 1.0, 100.0])
def test_the_soft_cut_is_found_anywhere(scores, width):
    expected = SoftPrecAtK(7, width).value_and_coef(scores, Y)
    found = torch_value_and_gradient(TopLoss(SoftPrecAtK(7, width)), scores, Y)
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["prec@k-soft", "pap@k-ramp", "p-norm-push"])
def test_weights_go_through_numpy(name):
    scores = RNG.normal(size=N)
    expected = get_surrogate(name, Top(k=5)).value_and_coef(scores, Y, GROUPS, WEIGHT)
    found = torch_value_and_gradient(TopLoss(name, 5), scores, Y, GROUPS, WEIGHT)
    assert found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("at_k", [False, True])
def test_the_softmax_losses_are_five_lines_of_tensor_operations(at_k):
    def lines(s, y, k=5, width=12.5):
        pos, neg = s[y == 1], s[y == 0]
        loss = torch.log1p(torch.exp(neg[None, :] - pos[:, None]).sum(dim=1))
        quantile = torch.topk(s, k).values[-1].detach()
        return (torch.sigmoid((pos - quantile) / width) * loss).sum() if at_k else loss.sum()

    scores = RNG.normal(size=N)
    expected = torch_value_and_gradient(lines, scores, torch.tensor(Y))
    surrogate = get_surrogate("softmax@k" if at_k else "softmax", Top(k=5))
    for found in (
        surrogate.value_and_coef(scores, Y),
        torch_value_and_gradient(TopLoss(surrogate), scores, Y),
    ):
        assert found[0] == pytest.approx(expected[0], rel=1e-6)
        np.testing.assert_allclose(found[1], expected[1], atol=1e-6)


@pytest.mark.parametrize("name", ["prec@k-soft", "prec@k-avg", "pap@k-avg"])
def test_single_precision_stays_single(name):
    scores = RNG.normal(size=N)
    s = torch.tensor(scores, dtype=torch.float32, requires_grad=True)
    loss = TopLoss(name, 5)(s, torch.tensor(Y), torch.tensor(GROUPS))
    loss.backward()
    assert (loss.dtype, s.grad.dtype) == (torch.float32, torch.float32)
    expected = get_surrogate(name, Top(k=5)).value_and_coef(scores, Y, GROUPS)
    assert loss.item() == pytest.approx(expected[0], rel=1e-5)
    np.testing.assert_allclose(s.grad, expected[1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("loss", [TopLoss("prec@k-soft", 10), TopLoss("pap@k-avg", 10)])
def test_a_network_learns(loss):
    torch.manual_seed(0)
    X = torch.randn(200, 3, dtype=torch.float64)
    y = X[:, 0] - X[:, 1] > 1.5
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
    values = []
    for _ in range(60):
        optimiser.zero_grad()
        value = loss(model(X)[:, 0], y)
        value.backward()
        optimiser.step()
        values.append(value.item())
    assert values[-1] < 0.3 * values[0]


def test_what_is_refused_and_shown():
    with pytest.raises(TypeError, match="prec@k-soft is a loss of the top"):
        TopLoss("prec@k-soft")
    with pytest.raises(ValueError, match=r"scores must have shape \(80,\) like y, got \(80, 1\)"):
        TopLoss("prec@k-soft", 5)(torch.zeros(N, 1), Y)
    assert repr(TopLoss(PNormPushExp(p=2))) == "TopLoss(PNormPushExp(p=2.0))"
