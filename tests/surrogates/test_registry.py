"""Surrogates by their names; tests/run/test_to_add.py adds one."""

import subprocess
import sys

import pytest

import attop.surrogates
from attop._core.top import Top
from attop.surrogates import AccuracyAtTop, BoundSurrogate, PApKAvg, Surrogate
from attop.surrogates._registry import SURROGATES, get_surrogate
from support.surrogate_cases import OF_LISTS, TOP, WITHOUT_TOP


def test_every_public_surrogate_has_a_name_of_its_own():
    exported = {getattr(attop.surrogates, name) for name in attop.surrogates.__all__}
    # AccuracyAtTop is made of a threshold item, which no configuration knows.
    assert set(SURROGATES.values()) == exported - {AccuracyAtTop, BoundSurrogate, Surrogate}
    assert all(name == kind.name for name, kind in SURROGATES.items())


@pytest.mark.parametrize("name", SURROGATES)
def test_a_name_and_a_top_make_a_surrogate(name):
    surrogate = get_surrogate(name, Top(k=2))
    assert type(surrogate) is SURROGATES[name]
    assert getattr(surrogate, "top", Top(k=2)) == Top(k=2)
    assert surrogate.bind([1, 1, 0, 0, 0]).surrogate is surrogate
    assert get_surrogate(surrogate, Top(k=9)) is surrogate


def test_importing_the_layer_does_not_import_numba():
    code = (
        "import sys, attop.surrogates as s\n"
        "for name in s.__all__: getattr(s, name)\n"
        "s.PApKAvg(2)\n"
        "assert 'numba' not in sys.modules\n"
        "s.PApKAvg(2).bind([1, 0, 0])\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_declarations():
    no_weights = {c.__name__ for c in SURROGATES.values() if c.no_weights}
    assert no_weights == {"PrecAtKAvg", "ExpPushExp"}
    smooth = {c.__name__ for c in TOP + WITHOUT_TOP if c.smooth}
    of_lists = {c.__name__ for c in OF_LISTS}
    assert smooth == {"LogisticLoss", "PatMatLoss", "PatMatNPLoss", "SoftPrecAtK"} | of_lists
    assert repr(PApKAvg(3)) == "PApKAvg(top=Top(k=3))"
