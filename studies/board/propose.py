"""The verdict of `attop propose` against the board's: replayed on published values, and its error simulated.

    python -m studies.board.propose

writes replay.csv, each method of the board as if it were proposed against each other one, where more than
five sets have both, and simulated.csv. Nothing is trained. With five sets nothing can be shown. A test of
the mean over tops, at 5%, agreed on 106 of 120 pairs; after that two tops were asked for, as by the board.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from attop.extending import Floats
from attop.statistics import holm, wilcoxon
from attop_bench.files import write_csv
from attop_bench.run.propose import LEVEL, look_at_tops, shown_lead
from studies import board

_WORDS = {1: "ahead", 0: "open", -1: "behind"}
#: Other orders of the sets in which a pair is replayed.
_ORDERS = 20


def whole(gains: pd.DataFrame) -> int:
    """Return the verdict of the board's rule on gains, sets x tops: p below 0.01 at two tops, by Holm."""
    if len(gains) < 2:
        return 0
    rounded = gains.round(8)
    p = holm([wilcoxon(its, np.zeros(len(its))).p for _, its in rounded.items()])
    sign = np.sign(rounded.mean())[p < LEVEL]
    return int((sign > 0).sum() > 1) - int((sign < 0).sum() > 1)


def replay(values: pd.DataFrame, rows: pd.Series) -> pd.DataFrame:
    """Return both verdicts on every pair of methods, which share sets; `values` are (set, top) x methods."""
    found = []
    order = rows.sort_values(kind="stable").index
    rng = np.random.default_rng(0)
    for method, rival in combinations(values, 2):
        gains = 100 * (values[method] - values[rival]).unstack("top", sort=False).dropna()
        if len(gains) <= 5:
            continue
        gains = gains.loc[order[order.isin(gains.index)]]
        its, n, on_board = gains.to_numpy(), len(gains), whole(gains)
        look, sign = look_at_tops(its, n)
        others = [look_at_tops(rng.permutation(its), n, draws=4000).sign for _ in range(_ORDERS)]
        found.append(
            {"method": method, "against": rival, "sets": n, "more": its.mean()}
            | {
                "board": _WORDS[on_board],
                "propose": _WORDS[sign],
                "after": look,
                "more_then": its[:look].mean(),
            }
            | {"agree_in_other_orders": np.mean([other == on_board for other in others])}
            | {"contradict_in_other_orders": np.mean([other * on_board < 0 for other in others])}
        )
    return pd.DataFrame(found)


def simulate(values: pd.DataFrame, repetitions: int, planned: int = 25) -> Iterator[dict[str, object]]:
    """Yield how often a sign is shown, and after how many sets: without a difference, and with one."""
    gains = 100 * values.sub(values["LightGBM"], axis=0)
    known = {
        name: gains[name].unstack("top", sort=False).dropna().to_numpy() for name in ("XGBoost", "SoftTop")
    }
    rng = np.random.default_rng(0)

    def sd_4(draw: Callable[[tuple[int, int]], Floats]) -> Floats:
        """Return gains of sets x four tops; two tops correlate by 0.6, as on the board."""
        return 4 * (0.6**0.5 * draw((planned, 1)) + 0.4**0.5 * draw((planned, 4)))

    def either_sign(gains: Floats) -> Floats:
        return rng.choice([-1, 1], (planned, 1)) * gains

    noises: dict[str, Callable[[], Floats]] = {
        "normal, sd 4": lambda: sd_4(lambda s: rng.normal(size=s)),
        "skewed (exponential, less its mean), sd 4": lambda: sd_4(lambda s: rng.exponential(size=s) - 1),
        "gains of XGBoost over LightGBM, signs at random": lambda: either_sign(known["XGBoost"]),
        "gains of SoftTop over LightGBM, signs at random": lambda: either_sign(known["SoftTop"]),
    }
    leads = (0.0, 1.0, 2.0, round(shown_lead(4.0, planned), 1), 4.0)
    for name, noise in noises.items():
        for lead in leads if name.startswith("normal") else leads[:1]:
            looked = [look_at_tops(lead + noise(), planned, draws=4000) for _ in range(repetitions)]
            signs, looks = (np.array(its) for its in ([r.sign for r in looked], [r.look for r in looked]))
            yield {"gains": name, "lead": lead, "repetitions": repetitions, "ahead": (signs > 0).mean()} | {
                "behind": (signs < 0).mean(),
                "sets_until_shown": looks[signs != 0].mean() if signs.any() else np.nan,
            }


def main(repetitions: int = 2000) -> None:
    """Write both tables beside this file, and print how often the verdicts agree."""
    values = pd.read_csv(board.FOLDER / "values.csv", index_col=["set", "top"])
    values = values.drop(columns=[board._LABELS, board._RANDOM])
    listed, folder = pd.read_csv(board.FOLDER / "sets.csv", index_col="set"), Path(__file__).parent
    rows = listed["rows"][listed["board"] == "in"]  # a method is trained on no others
    values = values[values.index.get_level_values("set").isin(rows.index)]
    found = replay(values, rows)
    write_csv(folder / "replay.csv", found.round(4))
    with_lightgbm = (found[["method", "against"]] == "LightGBM").any(axis=1)
    for which, its in {"against LightGBM": found[with_lightgbm], "all pairs": found}.items():
        both = its["board"] + its["propose"]
        print(
            which,
            len(its),
            (its["board"] == its["propose"]).sum(),
            both.isin(["aheadbehind", "behindahead"]).sum(),
        )
        print(its[["agree_in_other_orders", "contradict_in_other_orders", "after"]].mean())
    write_csv(folder / "simulated.csv", pd.DataFrame(simulate(values, repetitions)).round(4))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
