"""Numbers and lists as a reader wants them."""

from __future__ import annotations

import math

from attop._core.wording import (
    abridge,
    decimals_for,
    did_you_mean,
    format_cell,
    format_duration,
    format_fixed,
    format_p,
    format_small,
    join_words,
    nearest,
)


def test_numbers_as_a_reader_wants_them():
    assert [decimals_for([x]) for x in (0.5, 12.3, 123.0, 1e6, math.nan)] == [3, 2, 1, 0, 3]
    assert format_fixed(-0.25) == "−0.250"
    assert format_fixed(-0.0001) == "0.000"
    assert format_fixed(12345.678, 1) == "12,345.7"
    assert format_fixed(math.nan) == "–"
    assert [format_small(x) for x in (0.0123, 0.001, 0.00042, 0.0)] == ["0.012", "0.001", "0.0004", "0.000"]
    assert [format_small(x) for x in (9999.5, -605_254_990.0)] == ["9,999.500", "−605,300,000"]
    assert [format_duration(s) for s in (0, 2e-5, 0.0042, 0.35, 3.21, 90, 600, 1e5, 432_000)] == [
        "0.0 µs",
        "20 µs",
        "4.2 ms",
        "350 ms",
        "3.2 s",
        "90 s",
        "10 min",
        "28 h",
        "5.0 d",
    ]
    assert [format_p(p) for p in (0.0123, 1e-9, 1.0, math.nan)] == ["0.012", "< 0.001", "> 0.999", "–"]
    assert [format_p(p, "p") for p in (0.0123, 1e-9)] == ["p = 0.012", "p < 0.001"]
    assert [join_words(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_a_small_cell_has_room_for_amounts_of_any_size():
    """Rounding carries over to the next sign: 9,999.9 is ten thousand, 999,999 a million."""
    amounts = (0.5, -0.5, 9.999, 12.34, 9999.9, 9999.99, 12345, 999_999, -1_234_567, 1e9, 1e12, math.nan)
    assert " ".join(format_cell(amount) for amount in amounts) == (
        ".50 −0.50 10.00 12.3 10.0k 10.0k 12.3k 1.00M −1.23M 1.00bn 1,000bn ·"
    )


def test_a_long_list_of_names_is_cut():
    cut = ["", "a", "a and b", "a, b and c", "a, b, c and d", "a, b, c and 2 others"]
    assert [join_words("abcde"[:n], 3) for n in range(6)] == cut
    assert did_you_mean("?", range(100, 200)).endswith("118, 119 and 80 more")


def test_long_names_that_differ_at_their_end_differ_still():
    assert abridge("Random forest, 100 trees", 24) == "Random forest, 100 trees"
    cut = [abridge(f"Logistic regression, C = {c}", 20) for c in ("0.001", "0.01")]
    assert cut == ["Logistic regr… 0.001", "Logistic regr…= 0.01"]


def test_a_name_in_other_letters_is_near():
    assert nearest("income", ["age", "INCOME"]) == "did you mean 'INCOME'?"
    assert nearest("AGE", ["age", "Income"]) == "did you mean 'age'?"
    assert nearest("x", ["Income"]) == ""
