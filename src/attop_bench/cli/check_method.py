"""`attop check-method`: a class of the user's, checked as a method of the benchmark."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from attop_bench.cli.options import read_seconds
from attop_bench.files import JsonObject, read_json, write_json

if TYPE_CHECKING:
    from attop_bench.conformance import Check, Method, Result


def add_check_method(parser: ArgumentParser) -> None:
    """Add the options of ``attop check-method``."""
    parser.add_argument(
        "path",
        metavar="PATH.TO.CLASS",
        help="dotted path; its folder must be on PYTHONPATH",
    )
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="argument of the constructor",
    )
    parser.add_argument(
        "--seconds",
        type=read_seconds,
        default=60,
        help="time for each check (default: 60)",
    )


def run_check_method(options: Namespace) -> int:
    """Run the checks that every method here passes on a class with scikit-learn's interface.

    Each check has a process of its own. The exit status is 1 if one fails.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # as in a training job, and before NumPy is imported
    from attop_bench.conformance import Method, check_all
    from attop_bench.jobs.limits import Limits
    from attop_bench.run.fitting import import_estimator

    try:
        if "." not in options.path:
            raise ValueError(
                f"a dotted path is needed, such as package.module.Class, got {options.path!r}"
            )
        method = Method(import_estimator(options.path), _parameters(options.param))
    except (Exception, SystemExit) as error:
        print(f"attop check-method: {error}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        run = partial(_run, limits=Limits(options.seconds), folder=Path(folder))
        results = list(check_all(method, run))
    counts = Counter(result.status for result in results)
    verdict = "fails" if counts["FAIL"] else "can take part in the benchmark"
    print(
        f"{options.path} {verdict}: {counts['ok']} checks ok, {counts['FAIL']} failed, "
        f"{counts['not applicable']} not applicable\n"
    )
    for status in ("FAIL", "not applicable", "ok"):
        for result in results:
            if result.status == status:
                reason = (
                    f": {' '.join(result.reason.split())}" if result.reason else ""
                )
                print(f"{status:14}  {result.check.title}{reason}")
    return 1 if counts["FAIL"] else 0


def _parameters(entries: list[str]) -> JsonObject:
    parameters = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise ValueError(f"--param wants NAME=VALUE, got {entry!r}")
        parameters[name] = yaml.safe_load(value)
    return parameters


def _run(check: Check, method: Method, *, limits: Any, folder: Path) -> Result:
    """Run one check in a process of its own, for a method may crash, hang or exit."""
    from attop_bench.conformance import Result, run_here
    from attop_bench.jobs.supervise import supervise

    answer = folder / "answer.json"

    def work() -> None:
        result = run_here(check, method)
        write_json(answer, {"status": result.status, "reason": result.reason})

    answer.unlink(missing_ok=True)
    ending = supervise(work, folder / "log", limits, lambda: False)
    if answer.exists():
        return Result(check, **read_json(answer))
    return Result(check, "FAIL", ending.message)
