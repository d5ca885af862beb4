"""How long a run took by the clock."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["PAUSE", "wall_clock"]

#: Seconds without a training job from which on the run had stopped and was resumed later.
PAUSE = 60.0


def wall_clock(runs: pd.DataFrame) -> float:
    """Return the seconds from the first training job's start to the last one's end, without pauses.

    Parameters
    ----------
    runs : DataFrame
        With ``started`` and ``ended``, in seconds since 1970; rows without are left out.

    Returns
    -------
    float
        NaN if no row has both.
    """
    spans = runs[["started", "ended"]].dropna().drop_duplicates().sort_values("started").to_numpy(float)
    if not len(spans):
        return float("nan")
    start, end = spans.T
    before = np.maximum.accumulate(end)[:-1]  # the latest end of all jobs begun so far
    gaps = start[1:] - before
    return float(end.max() - start[0] - gaps[gaps > PAUSE].sum())
