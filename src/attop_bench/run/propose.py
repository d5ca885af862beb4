"""A method that is proposed, against one of the board's: set by set, until the difference is shown."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from attop.experiment import CONFIDENCE, needed_lead
from attop.extending import Floats, Top
from attop.statistics import Looked, signed_ranks_in_turn
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.data.build import check_facts, make
from attop_bench.data.files.fetch import obtain
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import Config
from attop_bench.run.fitting import sample_of
from attop_bench.run.job import Run
from attop_bench.run.options import DatasetConfig
from attop_bench.run.plan import Plan
from attop_bench.run.training import run_job

#: The board's rule: a difference is shown at two tops, at each with this error.
LEVEL = 0.01
#: Parameter of the builder -> path of its file, of each set that is at hand.
Files = Mapping[str, Mapping[str, str]]


class Measured(NamedTuple):
    """Mean precision at each top, over the test parts of a set; None if the time was over, or it failed."""

    dataset: str
    means: Floats | None
    failed: str = ""


def get_files(
    config: Config, datasets: Collection[str]
) -> tuple[Files, dict[str, Unavailable]]:
    """Obtain the files of each set, fewest rows first, and the reasons of the sets that are out of reach."""
    files: dict[str, Mapping[str, str]] = {}
    missing: dict[str, Unavailable] = {}

    def get(data: DatasetConfig) -> dict[str, str] | Unavailable:
        try:
            return {
                name: str(
                    obtain(
                        file,
                        config.cache,
                        mirror=config.mirror,
                        offline=config.offline,
                    )
                )
                for name, file in data.files.items()
            }
        except Unavailable as error:
            return error

    chosen = [data for data in config.datasets if data.id in datasets]
    chosen.sort(key=lambda data: data.expect.items or np.inf)
    with ThreadPoolExecutor(8) as pool:
        for data, answer in zip(chosen, pool.map(get, chosen), strict=True):
            if isinstance(answer, Unavailable):
                missing[data.id] = answer
            else:
                files[data.id] = answer
    return files, missing


def look_at_tops(gains: Floats, planned: int, draws: int = 20_000) -> Looked:
    """Find the set after which two tops have the same sign, and the sign; `gains` are sets x tops.

    Where the gains of a set are as likely of either sign, a top has a sign in at most 1% of cases. So two of
    T tops have one in at most T / 2 %, however much they depend on each other. Tops that contradict each
    other, two and two, show nothing.
    """
    tests = [
        signed_ranks_in_turn(gains_at_top, planned, LEVEL, draws)
        for gains_at_top in gains.round(6).T
    ]
    looks_by_sign = {
        sign: sorted(test.look for test in tests if test.sign == sign)
        for sign in (1, -1)
    }
    shown = [
        Looked(looks[1], sign)
        for sign, looks in looks_by_sign.items()
        if len(looks) > 1
    ]
    return shown[0] if len(shown) == 1 else Looked(len(gains), 0)


def shown_lead(spread: float, n: int) -> float:
    """Compute the lead that `look_at_tops` shows in 8 of 10 cases from the `spread` of gains over n sets.

    It is that of a t-test, and a tenth for ranks and for looks on the way.
    """
    return 1.1 * needed_lead(
        spread / n**0.5, n - 1, round(2 * (1 - CONFIDENCE) / LEVEL)
    )


def measure(
    config: Config, files: Files, deadline: float, n_jobs: int
) -> Generator[Measured]:
    """Yield the first method's precision on each set, in their order; several sets train at a time.

    They are the folds, seeds, scaling and training of a run of this configuration; no fit goes on after the
    `deadline`, a time.
    """
    from joblib import Parallel, delayed

    calls = (
        delayed(_measure)(config, name, paths, deadline)
        for name, paths in files.items()
    )
    yield from Parallel(
        n_jobs=n_jobs, return_as="generator", pre_dispatch="n_jobs"
    )(calls)


def prepare(config: Config, name: str, paths: Mapping[str, str]) -> Dataset:
    """Build a data set from its files in memory."""
    data = config.dataset(name)
    dataset = replace(
        make(data.kind, config.seed, **data.params, **paths),
        name=data.extends or name,
    )
    check_facts(dataset, data.expect.model_dump())
    return dataset


def as_published(top: Top, n: int) -> Top:
    """Resolve the top of a test part of n rows as the board's values have it: k of a list, rounded up."""
    if top.k is None or top.out_of is None:
        return top
    return Top(k=math.ceil(Fraction(top.k * n, top.out_of)))


def _measure(
    config: Config, name: str, paths: Mapping[str, str], deadline: float
) -> Measured:
    protocol = config.dataset(name).protocol
    plan = Plan(config)
    dataset = prepare(config, name, paths)
    sample = sample_of(dataset)
    values = []
    for repeat in range(protocol.repeats):
        folds = make_folds(
            protocol.kind, dataset, repeat, config.seed, **protocol.options
        )
        for number, fold in enumerate(folds):
            if (left := deadline - time.time()) <= 0:
                return Measured(name, None)
            job = plan.job(Run(name, config.methods[0].id, repeat, number))
            record = run_job(job, dataset, fold, left)
            if not record.ok:
                return Measured(
                    name, None, "" if record.status == "timeout" else record.reason
                )
            cuts = [as_published(top, len(fold.test)) for top in job.tops]
            scored = zip(cuts, record.scores, strict=True)
            values.append(
                [
                    sample.measure(job.metric, fold.test, scores, top).value
                    for top, scores in scored
                ]
            )
    return Measured(name, np.mean(values, axis=0))
