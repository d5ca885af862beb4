"""Demsar's worked example (JMLR 7, 2006, table 6)."""

import pandas as pd

#: Demsar's table 6: AUC of C4.5 on 14 data sets, plain, with m, with cf, and with both tuned. The last two
#: are printed as 0.975 on voting, yet ranked 2 and 3: equal by rounding only.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "m", "cf", "m+cf"],
)
