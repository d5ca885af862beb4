"""The checks of `attop check-method`: scikit-learn's own, and the benchmark's."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import SkipTest
from unittest.mock import patch

import numpy as np
from scipy import sparse
from sklearn.utils import ClassifierTags, Tags, TargetTags, estimator_checks
from threadpoolctl import threadpool_limits

from attop.experiment import fit_many, takes
from attop.extending import Floats, Ints, Top
from attop.metrics import get_metric, scores_of

_TOPS = (Top(k=3), Top(tau=0.1), Top(kappa=0.5))
#: The labels of scikit-learn's checks are then two.
_BINARY = Tags(
    "classifier",
    TargetTags(required=True),
    None,
    ClassifierTags(multi_class=False),
    None,
)
#: Least AUC on `easy_sample`.
_LEAST_AUC = 0.75


class Failed(Exception):
    """The method fails a check; the message is the reason."""


class NotApplicable(Exception):
    """A check has nothing to check; the message says why."""


class ToySample(NamedTuple):
    """Features of shape (n, d), labels 0 and 1, and groups, of shape (n,)."""

    X: Floats
    y: Ints
    groups: Ints


def easy_sample(n: int = 60, seed: int = 0) -> ToySample:
    """Draw a sample, a third positive, whose classes differ in two of four features."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    X = rng.normal(size=(n, 4))
    X[:, :2] += 2.0 * y[:, None]
    order = rng.permutation(n)
    return ToySample(X[order], y[order], (np.arange(n) % 5)[order])


@dataclass(frozen=True)
class Method:
    """A class with scikit-learn's interface and the parameters it is made with."""

    kind: Callable[..., Any]
    params: Mapping[str, object] = field(default_factory=dict)

    def new(self, **changes: object) -> Any:
        """Make an unfitted estimator, seeded as the benchmark does."""
        estimator = self.kind(**self.params)
        if "random_state" in estimator.get_params():
            changes = {"random_state": 0, **changes}
        return estimator.set_params(**changes) if changes else estimator

    @property
    def takes_groups(self) -> bool:
        """True if the benchmark passes it groups."""
        return takes(self.new(), "groups")

    def fit(
        self, sample: ToySample, *, groups: bool = False, **changes: object
    ) -> Any:
        """Make and fit an estimator."""
        extra = {"groups": sample.groups} if groups else {}
        return self.new(**changes).fit(sample.X, sample.y, **extra)

    def scores(
        self, sample: ToySample, *, groups: bool = False, **changes: object
    ) -> Floats:
        """Score the items that it is fitted on."""
        return score(self.fit(sample, groups=groups, **changes), sample.X)


def score(model: Any, X: Floats) -> Floats:
    """Score items; fail unless there is one finite number for each."""
    try:
        return scores_of(model, X, protect=True)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Failed(str(error)) from error


def expect(condition: bool, reason: str) -> None:
    """Fail unless a condition holds."""
    if not condition:
        raise Failed(reason)


def expect_same(one: Floats, other: Floats, what: str) -> None:
    """Fail unless scores agree to nine digits."""
    scale = max(1.0, float(np.abs(one).max()))
    apart = float(np.abs(one - other).max())
    expect(apart <= 1e-9 * scale, f"{what}: scores differ by up to {apart:.3g}")


def expect_ranking(y: Ints, scores: Floats) -> None:
    """Fail unless most positives of an easy sample are above most negatives."""
    auc = get_metric("auc").value(y, scores)
    expect(
        auc >= _LEAST_AUC,
        f"a positive is above a negative in {auc:.0%} of the pairs; the positive label is 1",
    )


def refuses(work: Callable[[], object], what: str) -> bool:
    """Tell whether `work` raises a ValueError with a message; fail for any other error."""
    try:
        work()
    except ValueError as error:
        expect(
            bool(str(error).strip()),
            f"{what}: a {type(error).__name__} without a word",
        )
        return True
    except (Exception, SystemExit) as error:
        reason = (
            str(error)
            if isinstance(error, Failed)
            else f"{type(error).__name__}: {error}"
        )
        raise Failed(
            f"{what}: {reason}; a ValueError is needed, or finite scores"
        ) from error
    return False


def expect_refusal(work: Callable[[], object], what: str) -> None:
    """Fail unless `work` raises a ValueError with a message."""
    expect(refuses(work, what), f"{what} is accepted; a ValueError is needed")


@dataclass(frozen=True)
class Check:
    """A check, its sentence, and the name of a check that it presupposes."""

    name: str
    title: str
    function: Callable[[Method], None]
    after: str


@dataclass(frozen=True)
class Result:
    """The result of a check, with a reason unless it is ok."""

    check: Check
    status: Literal["ok", "FAIL", "not applicable"]
    reason: str = ""


#: All checks, in the order in which they are run.
CHECKS: list[Check] = []


def _check(
    after: str = "",
) -> Callable[[Callable[[Method], None]], Callable[[Method], None]]:
    """Add a function to `CHECKS`."""

    def add(function: Callable[[Method], None]) -> Callable[[Method], None]:
        CHECKS.append(
            Check(
                function.__name__,
                (function.__doc__ or "").rstrip("."),
                function,
                after,
            )
        )
        return function

    return add


def _run_of_scikit_learn(method: Method, *checks: str) -> None:
    """Run checks of ``sklearn.utils.estimator_checks``."""
    estimator = method.new()
    with patch.object(
        type(estimator), "__sklearn_tags__", lambda self: _BINARY, create=True
    ):
        for check in checks:
            with suppress(SkipTest):
                getattr(estimator_checks, check)(
                    type(estimator).__name__, estimator
                )


def check_all(
    method: Method, run: Callable[[Check, Method], Result] | None = None
) -> Iterator[Result]:
    """Yield the result of each check, not applicable if one that it presupposes failed."""
    failed: dict[str, str] = {}  # check -> title of the one that failed
    for check in CHECKS:
        if check.after in failed:
            failed[check.name] = failed[check.after]
            yield Result(
                check, "not applicable", f"presupposes: {failed[check.name]}"
            )
            continue
        result = (run or run_here)(check, method)
        if result.status == "FAIL":
            failed[check.name] = check.title
        yield result


def run_here(check: Check, method: Method) -> Result:
    """Run one check in this process, without warnings, which samples this small cause."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check.function(method)
    except NotApplicable as error:
        return Result(check, "not applicable", str(error))
    except Failed as error:
        return Result(check, "FAIL", str(error))
    except (Exception, SystemExit) as error:
        return Result(check, "FAIL", f"{type(error).__name__}: {error}")
    return Result(check, "ok")


# --- Parameters, fit and scores -----------------------------------------------------------------------


@_check()
def is_made(method: Method) -> None:
    """The class can be made with the given arguments alone."""
    estimator = method.kind(**method.params)
    for needed in ("get_params", "set_params", "fit"):
        expect(
            hasattr(estimator, needed),
            f"no method {needed}: derive it from sklearn.base.BaseEstimator",
        )


@_check("is_made")
def refuses_unknown_parameters(method: Method) -> None:
    """set_params rejects unknown parameters."""
    expect_refusal(
        lambda: method.new().set_params(no_such_parameter=1),
        "set_params(no_such_parameter=1)",
    )


@_check("is_made")
def keeps_its_parameters(method: Method) -> None:
    """The constructor keeps its arguments as they are, and clone copies them."""
    _run_of_scikit_learn(
        method,
        "check_estimator_cloneable",
        "check_parameters_default_constructible",
    )
    _run_of_scikit_learn(
        method, "check_no_attributes_set_in_init", "check_get_params_invariance"
    )


@_check("keeps_its_parameters")
def fits(method: Method) -> None:
    """Fit returns the estimator itself."""
    estimator = method.new()
    sample = easy_sample()
    result = estimator.fit(sample.X, sample.y)
    expect(
        result is estimator,
        f"it returns {repr(result)[:60]}: end it with `return self`",
    )


@_check("fits")
def gives_scores(method: Method) -> None:
    """Scores are one finite number per item, of any number of items."""
    model = method.fit(easy_sample())
    score(model, easy_sample().X)
    score(model, easy_sample(7, seed=1).X)
    coef = getattr(model, "coef_", None)
    if isinstance(coef, np.ndarray) and coef.dtype.kind == "f":
        expect(bool(np.isfinite(coef).all()), "coef_ is NaN or infinite")


@_check("gives_scores")
def ranks(method: Method) -> None:
    """Positives get higher scores than negatives on easy data."""
    sample = easy_sample(120)
    expect_ranking(sample.y, method.scores(sample))


@_check("gives_scores")
def changes_no_parameter(method: Method) -> None:
    """Fit changes no parameter."""
    _run_of_scikit_learn(
        method,
        "check_dont_overwrite_parameters",
        "check_estimators_overwrite_params",
    )


@_check("gives_scores")
def scores_twice(method: Method) -> None:
    """Scoring twice gives the same scores."""
    sample = easy_sample()
    model = method.fit(sample)
    expect_same(score(model, sample.X), score(model, sample.X), "scored twice")


@_check("scores_twice")
def scores_items_alone(method: Method) -> None:
    """An item's score depends neither on the other items nor on their order."""
    _run_of_scikit_learn(
        method,
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    )


@_check("scores_twice")
def scores_equal_items_equally(method: Method) -> None:
    """Equal items get equal scores."""
    sample = easy_sample()
    scores = score(method.fit(sample), np.repeat(sample.X[:5], 3, axis=0)).reshape(
        5, 3
    )
    expect_same(
        scores[:, :1].repeat(3, axis=1).ravel(),
        scores.ravel(),
        "of the same item three times",
    )


@_check("scores_twice")
def pickles(method: Method) -> None:
    """A fitted model scores the same after pickling."""
    _run_of_scikit_learn(method, "check_estimators_pickle")


@_check("scores_twice")
def repeats(method: Method) -> None:
    """A second fit to the same data gives the same scores: it forgets the first, and uses random_state."""
    _run_of_scikit_learn(method, "check_fit_idempotent")


# --- Checks of the benchmark ---------------------------------------------------------------------


@_check("gives_scores")
def takes_top(method: Method) -> None:
    """The parameter top takes k, tau and kappa."""
    if "top" not in method.new().get_params():
        raise NotApplicable("it has no parameter top: one model serves all tops")
    for top in _TOPS:
        model = method.fit(easy_sample(), top=top)
        score(model, easy_sample().X)
        expect(
            Top.of(model.get_params()["top"]) == top,
            f"{top} became {model.get_params()['top']!r}",
        )


@_check("repeats")
def fits_many(method: Method) -> None:
    """fit_many gives the model of each candidate, in order, and leaves the estimator unfitted."""
    if not hasattr(method.new(), "fit_many"):
        raise NotApplicable("it has no fit_many: candidates are fitted one by one")
    sample = easy_sample()
    estimator = method.new()
    tops = _TOPS if "top" in estimator.get_params() else ()
    candidates: list[dict[str, Any]] = [{}, *({"top": top} for top in tops)]
    before = set(vars(estimator))
    models = fit_many(estimator, sample.X, sample.y, candidates=candidates)
    expect(
        set(vars(estimator)) == before,
        f"it leaves {', '.join(set(vars(estimator)) - before)}",
    )
    expect(
        len(models) == len(candidates),
        f"{len(models)} models for {len(candidates)} candidates",
    )
    for model, candidate in zip(models, candidates, strict=True):
        alone = score(method.new(**candidate).fit(sample.X, sample.y), sample.X)
        expect_same(
            alone,
            score(model, sample.X),
            f"with {candidate or 'no change'}, together and alone",
        )


@_check("gives_scores")
def takes_groups(method: Method) -> None:
    """Groups are fitted, those without a positive included."""
    if not method.takes_groups:
        raise NotApplicable("fit has no argument groups: items are one list")
    sample = easy_sample()
    codes = np.where((sample.y == 0) & (sample.groups == 0), 9, sample.groups)
    for groups in (sample.groups, codes, np.zeros_like(codes)):
        method.scores(sample._replace(groups=groups), groups=True)


@_check("takes_groups")
def keeps_input(method: Method) -> None:
    """Fit and scoring leave their input as it was."""
    sample = easy_sample()
    before = [part.copy() for part in sample]
    score(method.fit(sample, groups=method.takes_groups), sample.X)
    for name, part, copy in zip(sample._fields, sample, before, strict=True):
        expect(np.array_equal(part, copy), f"{name} is changed: work on a copy")


@_check("gives_scores")
def uses_one_thread(method: Method) -> None:
    """It keeps to one thread if the libraries below it are set to one."""
    started: list[str] = []
    start = threading.Thread.start

    def note(thread: threading.Thread) -> None:
        started.append(thread.name)
        start(thread)

    with threadpool_limits(1), patch.object(threading.Thread, "start", note):
        before = _count_threads()
        score(method.fit(easy_sample()), easy_sample().X)
        after = _count_threads()
    expect(
        not started,
        f"it starts threads of its own: {', '.join(started[:3])}; leave n_jobs at 1",
    )
    expect(
        after <= before,
        f"it leaves {after - before} threads that run: a job has one core",
    )


@_check("gives_scores")
def leaves_no_process(method: Method) -> None:
    """It leaves no process behind."""
    before = _children()
    score(method.fit(easy_sample()), easy_sample().X)
    left = _children() - before
    expect(
        not left,
        f"{len(left)} still run after the fit: a job has one core; leave n_jobs at 1",
    )


def _count_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        raise NotApplicable("threads are counted on Linux only") from None


def _children() -> set[int]:
    lists = list(Path("/proc/self/task").glob("*/children"))
    if not lists:
        raise NotApplicable("processes are counted on Linux only")
    children: set[int] = set()
    for file in lists:
        # A thread may have ended since.
        with suppress(FileNotFoundError):
            children |= {int(pid) for pid in file.read_text().split()}
    return children


# --- Samples that are odd ------------------------------------------------------------------------------


@_check("gives_scores")
def takes_constant_feature(method: Method) -> None:
    """A constant feature does no harm."""
    sample = easy_sample()
    method.scores(
        sample._replace(X=np.column_stack([sample.X, np.full(len(sample.y), 7.0)]))
    )


@_check("gives_scores")
def takes_ties(method: Method) -> None:
    """Equal items, some positive and some negative, are fitted."""
    sample = easy_sample()
    method.scores(sample._replace(X=np.sign(sample.X)))


def _odd(name: str, what: str, *samples: ToySample) -> None:
    """Add the check that samples give finite scores or a ValueError."""

    def function(method: Method) -> None:
        for sample in samples:
            copy = ToySample(sample.X.copy(), sample.y.copy(), sample.groups)
            refuses(partial(method.scores, copy), what)

    CHECKS.append(
        Check(
            name, f"{what}: finite scores or a ValueError", function, "gives_scores"
        )
    )


def _with_entry(value: float) -> ToySample:
    sample = easy_sample()
    sample.X[3, 1] = value
    return sample


_EASY = easy_sample()
_FIRST = np.arange(len(_EASY.y)) == np.flatnonzero(_EASY.y)[0]
_odd(
    "takes_constant_features",
    "Features that are all constant",
    _EASY._replace(X=np.ones_like(_EASY.X)),
)
_odd(
    "takes_one_positive", "One positive", _EASY._replace(y=_FIRST.astype(np.int64))
)
_odd(
    "takes_one_class",
    "One class",
    *(_EASY._replace(y=np.full_like(_EASY.y, label)) for label in (0, 1)),
)
_odd("takes_nan", "NaN in the features", _with_entry(np.nan))
_odd("takes_infinities", "Infinity in the features", _with_entry(np.inf))


@_check("gives_scores")
def takes_wrong_shapes(method: Method) -> None:
    """Labels or groups of another number than the items, or items of fewer features: a ValueError."""
    X, y, groups = easy_sample()
    expect_refusal(
        lambda: method.new().fit(X, y[1:]),
        f"{len(X)} items with {len(y) - 1} labels",
    )
    if method.takes_groups:
        with_fewer = partial(method.new().fit, X, y, groups=groups[1:])
        expect_refusal(with_fewer, f"{len(X)} items with {len(X) - 1} groups")
    model = method.fit(easy_sample())
    expect_refusal(lambda: scores_of(model, X[:, 1:]), "one feature less")


@_check("repeats")
def takes_sparse(method: Method) -> None:
    """Sparse features: finite scores, positives above negatives, or an error that says sparse."""
    sample = easy_sample(120)
    matrix = sparse.csr_array(sample.X)
    try:
        model = method.new().fit(matrix, sample.y)
        scores = scores_of(model, matrix)
    except Exception as error:
        clear = (
            isinstance(error, (TypeError, ValueError))
            and "sparse" in str(error).lower()
        )
        expect(
            clear,
            f"{type(error).__name__}: {error}; an error that says sparse is needed",
        )
        raise NotApplicable("it refuses them, in words") from None
    expect_ranking(sample.y, scores)
