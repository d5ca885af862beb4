"""Types that occur all over the package."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attop.core.top import Top

__all__ = ["Floats", "Ints", "TopLike"]

#: Real numbers.
Floats = NDArray[np.float64]
#: Counts, positions and labels.
Ints = NDArray[np.int64]
#: What stands for a `Top`: itself, k, or a share such as ``{"tau": 0.1}``; see `Top.of`.
TopLike = Top | int | Mapping[str, float]
