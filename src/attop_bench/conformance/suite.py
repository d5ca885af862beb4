"""All checks in order, which of them presuppose which, and running them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from attop_bench.conformance import benchmark, fitting, parameters, samples, scoring
from attop_bench.conformance.method import Failed, Method, NotApplicable, quiet

__all__ = ["CHECKS", "Check", "Result", "check_all", "run_here"]


@dataclass(frozen=True)
class Check:
    """A check and those that must not have failed for it to mean anything."""

    function: Callable[[Method], None]
    after: tuple[Callable[[Method], None], ...] = ()

    @property
    def title(self) -> str:
        """What it asks, in a line."""
        return (self.function.__doc__ or "").strip().rstrip(".")


@dataclass(frozen=True)
class Result:
    """What a check found; `reason` is empty where all is well."""

    check: Check
    status: Literal["ok", "FAIL", "not applicable"]
    reason: str = ""


def _checks() -> Iterator[Check]:
    made = parameters.is_made
    fitted = (made, fitting.fits, fitting.gives_scores)
    yield Check(made)
    yield Check(parameters.says_its_parameters, (made,))
    yield Check(parameters.refuses_unknown_parameters, (made,))
    yield Check(fitting.fits, (made,))
    yield Check(fitting.gives_scores, (made, fitting.fits))
    yield Check(parameters.clones, (*fitted, parameters.says_its_parameters))
    for function in (fitting.ranks, fitting.names_classes, fitting.keeps_parameters):
        yield Check(function, fitted)
    yield Check(scoring.scores_twice, fitted)
    certain = (*fitted, scoring.scores_twice)
    for function in (
        scoring.scores_in_any_order,
        scoring.scores_items_alone,
        scoring.scores_equal_items_equally,
        scoring.pickles,
    ):
        yield Check(function, certain)
    yield Check(fitting.repeats, certain)
    repeated = (*certain, fitting.repeats)
    yield Check(fitting.learns_nothing_from_before, repeated)
    yield Check(benchmark.takes_top, fitted)
    yield Check(benchmark.fits_many, repeated)
    for name in samples.__all__:
        yield Check(getattr(samples, name), repeated if name == "takes_sparse" else fitted)
    yield Check(fitting.keeps_input, (*fitted, samples.takes_groups))
    yield Check(benchmark.uses_one_thread, fitted)
    yield Check(benchmark.leaves_no_process, fitted)


#: All checks, in the order in which they are run.
CHECKS = tuple(_checks())


def check_all(method: Method, run: Callable[[Check, Method], Result] | None = None) -> Iterator[Result]:
    """Run all checks on a method.

    Parameters
    ----------
    method : Method
    run : callable, optional
        Runs one check; by default in this process.

    Yields
    ------
    Result
        Of each check. One that presupposes another which failed is not applicable.
    """
    failed: set[Callable[[Method], None]] = set()
    for check in CHECKS:
        missing = next((needed for needed in check.after if needed in failed), None)
        if missing is not None:
            title = next(c.title for c in CHECKS if c.function is missing)
            result = Result(check, "not applicable", f"presupposes: {title}")
        else:
            result = (run or run_here)(check, method)
        if result.status == "FAIL":
            failed.add(check.function)
        yield result


def run_here(check: Check, method: Method) -> Result:
    """Run one check in this process."""
    try:
        quiet(lambda: check.function(method))
    except NotApplicable as error:
        return Result(check, "not applicable", str(error))
    except Failed as error:
        return Result(check, "FAIL", str(error))
    except (Exception, SystemExit) as error:
        return Result(check, "FAIL", f"{type(error).__name__}: {error}")
    return Result(check, "ok")
