"""Types shared by the whole package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attop._core.top import Top

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Real numbers.
Floats = NDArray[np.float64]
#: Features, a row for each item: dense, in some places of float32, or compressed by rows.
Features: TypeAlias = "NDArray[np.float64] | csr_matrix"
#: Counts, positions and labels.
Ints = NDArray[np.int64]
#: Which rows something holds for.
Bools = NDArray[np.bool_]
#: What stands for a `Top`: itself, k, a share such as 0.1, "10%" or ``{"tau": 0.1}``; see `Top.of`.
TopLike = Top | float | str | Mapping[str, float | str]
