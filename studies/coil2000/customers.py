"""Features of CoIL 2000's customers: the 85 columns, and what they amount to together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints

# fmt: off
_DEMOGRAPHY = (
    "MOSTYPE", "MAANTHUI", "MGEMOMV", "MGEMLEEF", "MOSHOOFD", "MGODRK", "MGODPR", "MGODOV",
    "MGODGE", "MRELGE", "MRELSA", "MRELOV", "MFALLEEN", "MFGEKIND", "MFWEKIND", "MOPLHOOG",
    "MOPLMIDD", "MOPLLAAG", "MBERHOOG", "MBERZELF", "MBERBOER", "MBERMIDD", "MBERARBG", "MBERARBO",
    "MSKA", "MSKB1", "MSKB2", "MSKC", "MSKD", "MHHUUR", "MHKOOP", "MAUT1", "MAUT2", "MAUT0",
    "MZFONDS", "MZPART", "MINKM30", "MINK3045", "MINK4575", "MINK7512", "MINK123M", "MINKGEM",
    "MKOOPKLA",
)
_POLICIES = (
    "WAPART", "WABEDR", "WALAND", "PERSAUT", "BESAUT", "MOTSCO", "VRAAUT", "AANHANG", "TRACTOR",
    "WERKT", "BROM", "LEVEN", "PERSONG", "GEZONG", "WAOREG", "BRAND", "ZEILPL", "PLEZIER", "FIETS",
    "INBOED", "BYSTAND",
)
# fmt: on
#: The columns of the files, as their dictionary calls them: P is what is paid for a kind of policy, in nine
#: classes, A the number of such policies.
COLUMNS = (*_DEMOGRAPHY, *(f"P{p}" for p in _POLICIES), *(f"A{p}" for p in _POLICIES))
_AT = {name: i for i, name in enumerate(COLUMNS)}

#: One feature a value, of what is no scale or rises and falls.
_LEVELS = {
    "MOSTYPE": range(1, 42),
    "MOSHOOFD": range(1, 11),
    "PPERSAUT": range(10),
    "PBRAND": range(10),
    "PWAPART": range(4),
    "MKOOPKLA": range(1, 9),
}
#: Payment and number together, as the competition's winner had them, numbers cut at three.
_PAIRS = ("PERSAUT", "BRAND")
_CUT = 3
#: Rare policies, of which it counts that there is one.
_RARE = ("PLEZIER", "BYSTAND", "INBOED", "ZEILPL")
#: Products of payment and number.
_PRODUCTS = ("PERSAUT", "BRAND", "WAPART", "PLEZIER")


def customer_features(table: NDArray[np.number]) -> Floats:
    """Return the features of customers, a row of the 85 columns each; in the order of `FEATURES`."""
    x = np.asarray(table, dtype=np.float64)
    paid = x[:, [_AT[f"P{p}"] for p in _POLICIES]]
    number = x[:, [_AT[f"A{p}"] for p in _POLICIES]]
    totals = [paid.sum(axis=1), number.sum(axis=1), (number > 0).sum(axis=1)]
    products = [x[:, _AT[f"P{p}"]] * x[:, _AT[f"A{p}"]] for p in _PRODUCTS]
    levels = [x[:, _AT[name]] == level for name, values in _LEVELS.items() for level in values]
    pairs = [
        (x[:, _AT[f"P{p}"]] == paid) & (np.minimum(x[:, _AT[f"A{p}"]], _CUT) == count)
        for p in _PAIRS
        for paid, count in _pairs()
    ]
    rare = [(x[:, _AT[f"P{p}"]] > 0) == has for p in _RARE for has in (True, False)]
    return np.column_stack([x, *totals, *products, *levels, *pairs, *rare]).astype(np.float64)


def _pairs() -> list[tuple[int, int]]:
    return [(0, 0), *((paid, count) for paid in range(1, 10) for count in range(1, _CUT + 1))]


#: Names of the features.
FEATURES = (
    *COLUMNS,
    "paid in all",
    "policies",
    "kinds of policies",
    *(f"P{p} x A{p}" for p in _PRODUCTS),
    *(f"{name} = {level}" for name, values in _LEVELS.items() for level in values),
    *(f"P{p}, A{p} = {paid}, {count}" for p in _PAIRS for paid, count in _pairs()),
    *(f"{has} {p}" for p in _RARE for has in ("with", "without")),
)


def _places(*starts: str) -> Ints:
    return np.array([i for i, name in enumerate(FEATURES) if name.startswith(starts)])


#: Features that say which class a policy is in, one of each kind for each customer: for naive Bayes.
POLICY_LEVELS = _places("PPERSAUT, ", "PBRAND, ", "PWAPART = ", "MKOOPKLA = ", "with ", "without ")
# fmt: off
_BUYING = (
    "MGEMLEEF", "MRELGE", "MRELOV", "MOPLHOOG", "MOPLLAAG", "MBERMIDD", "MSKA", "MHHUUR", "MHKOOP",
    "MAUT1", "MAUT2", "MAUT0", "MZFONDS", "MINKM30", "MINKGEM", "MKOOPKLA",
)
# fmt: on
#: These and demography that bears on owning a car and on buying.
KEY = np.array([*(_AT[name] for name in _BUYING), *POLICY_LEVELS])
