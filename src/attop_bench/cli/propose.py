"""`attop propose`: a class of the user's against a method of the board, in a minute."""

from __future__ import annotations

import os
import time
import warnings
from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import attop_bench
from attop_bench.cli.options import GATE, add_gate, add_jobs, source

if TYPE_CHECKING:
    import pandas as pd

    from attop.extending import Floats
    from attop_bench.run.config import Config


def add_propose(parser: ArgumentParser) -> None:
    """Add the options of ``attop propose``."""
    parser.add_argument(
        "path",
        metavar="PATH.TO.CLASS",
        help="dotted path; its folder must be on PYTHONPATH",
    )
    parser.add_argument(
        "--against",
        default="LightGBM",
        metavar="METHOD",
        help="by default LightGBM",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=60,
        metavar="S",
        help="of training (default: 60)",
    )
    add_jobs(parser, "sets")
    add_gate(parser, ["behind", "open"])
    parser.add_argument(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="single keys of the configuration, such as mirror=FOLDER with the files of the sets",
    )


def run_propose(options: Namespace) -> int:
    """Compare a class with scikit-learn's interface with a method of the board of rare positives.

    It trains on the board's folds, as it is, on one set after the other, fewest rows first, until it is shown
    to find more or less than the other method, whose values are stored, or the time is over.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # as in a training job, and before NumPy is imported
    import numpy as np

    from attop.extending import count_noun
    from attop_bench.run.config import ConfigError
    from attop_bench.run.propose import get_files, look_at_tops, measure

    config = _configuration(options)
    published = _values_of(options.against)
    files, missing = get_files(config, published.index)
    if missing:
        name, reason = next(iter(missing.items()))
        print(
            f"Left out, for {count_noun(len(missing), 'set')} cannot be reached: {', '.join(missing)}."
        )
        print(f"{name}: {reason}\n")
    method = options.path.rpartition(".")[2]
    tops = ", ".join(published)
    print(
        f"Hits of 100 that {method} finds more than {options.against}, at {tops}:",
        flush=True,
    )
    gains: list[Floats] = []
    sign = 0
    ended = ""
    warnings.filterwarnings("ignore", "[0-9]+ tasks (have|which)", UserWarning)
    with closing(
        measure(config, files, time.time() + options.seconds, options.jobs)
    ) as sets:
        for measured in sets:
            if measured.failed:
                raise ConfigError(
                    f"{options.path} fails on {measured.dataset}: {measured.failed}"
                )
            if measured.means is None:
                ended = f"The {options.seconds:g} seconds were over; --seconds gives it more."
                break
            gains.append(
                100
                * (
                    measured.means - published.loc[measured.dataset].to_numpy()
                ).round(8)
                + 0.0
            )
            print(
                f"{measured.dataset:20}"
                + "".join(f"{gain:+7.1f}" for gain in gains[-1]),
                flush=True,
            )
            sign = look_at_tops(np.array(gains), len(files)).sign
            if sign:
                break
    print(
        "\n"
        + verdict(
            method,
            options.against,
            np.array(gains).reshape(-1, len(published.columns)),
            sign,
        )
    )
    if not sign:
        print(ended or "No set is left.")
    state = {1: "ahead", 0: "open", -1: "behind"}[int(sign)]
    return GATE if state in options.fail_on else 0


def verdict(method: str, rival: str, gains: Floats, sign: int) -> str:
    """Say which of two methods is ahead, from gains on sets x tops, of 100, and the sign that was shown."""
    import numpy as np

    from attop.experiment import Verdict
    from attop.extending import count_noun
    from attop_bench.run.propose import LEVEL, shown_lead

    if len(gains) < 2:
        return f"{method} is open against {rival}: {count_noun(len(gains), 'set')} cannot tell."
    each = gains.mean(axis=1)
    mean = float(each.mean())
    n = len(each)
    direction = "more" if mean > 0 else "less"
    gain = (
        f"it finds {abs(mean):.1f} of 100 {direction}, over {n} sets and all tops, "
    )
    gain += (
        f"by more than 1 more on {(each > 1).sum()}, less on {(each < -1).sum()}"
    )
    if sign:
        error = LEVEL * gains.shape[1] / 2
        return (
            f"{method} is {'ahead of' if sign > 0 else 'behind'} {rival}: {gain}.\n"
            f"It is shown at two tops, at {LEVEL:.0%} each. Where gains are as likely above zero as below,\n"
            f"this is said in error in at most {error:.0%} of cases, wherever it stops.\n"
            "A lead that is shown early is exaggerated on average.\n"
            "To know more: the page on sending a row to the board, for all sets and each top."
        )
    # Two tops are needed.
    lead = shown_lead(float(np.sort(gains.std(axis=0, ddof=1))[1]), n)
    sets = (
        f"{np.ceil(n * (lead / mean) ** 2):,.0f} sets"
        if mean
        else "more sets than there are"
    )
    return (
        f"{method} is {Verdict.OPEN} against {rival}: {gain}.\n"
        f"To know more: {n} sets show a lead of {lead:.1f} of 100 in 8 of 10 cases; one of {abs(mean):.1f} "
        f"takes {sets}."
    )


def _configuration(options: Namespace) -> Config:
    """Configure the board's sets and protocol with the class as the one method."""
    from attop_bench.cli.configuration import read_raw
    from attop_bench.run.config import ConfigError, load_config
    from attop_bench.run.fitting import import_estimator

    try:
        import_estimator(options.path)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    options.configfile = [source() / "config/suites/rare.yaml"]
    raw = read_raw(options)
    taken = {
        key: raw[key]
        for key in ("catalogues", "cache", "mirror", "offline", "seed")
        if key in raw
    }
    datasets = [{**data, "skip": {}} for data in raw["datasets"]]
    return load_config(
        taken
        | {
            "datasets": datasets,
            "methods": [{"id": "it", "estimator": options.path}],
        }
    )


def _values_of(rival: str) -> pd.DataFrame:
    """Read the published precision of a method, sets x tops."""
    import pandas as pd

    from attop.extending import did_you_mean
    from attop_bench.run.config import ConfigError

    clone = source() / "docs/board/values.csv"
    published = (
        clone
        if clone.exists()
        else Path(attop_bench.__file__).with_name("board.csv")
    )
    values = pd.read_csv(published, index_col=["set", "top"])
    if rival not in values:
        raise ConfigError(
            f"--against: {rival!r} is not on the board; {did_you_mean(rival, values)}"
        )
    return values[rival].unstack("top", sort=False).dropna()
