"""How a run can have ended is listed once."""

from attop_bench.statuses import FAILED, NOT_APPLICABLE, OK, STATUSES
from support.listings import listings


def test_no_other_place_lists_the_statuses():
    assert listings(STATUSES) == {
        "src/attop_bench/jobs/limits.py": [["error", "memory", "timeout"]],  # how a process ends, of any work
        "src/attop_bench/statuses.py": [sorted(FAILED)],
    }


def test_every_status_is_good_bad_or_neither():
    assert {*FAILED, OK, NOT_APPLICABLE} == set(STATUSES)
    assert len(STATUSES) == len(set(STATUSES)) == len(FAILED) + 2
