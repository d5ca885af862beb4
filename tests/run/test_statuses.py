"""How a run can have ended is listed once."""

from attop_bench.jobs.limits import FAILED, NOT_APPLICABLE, OK, STATUSES
from support.listings import listings


def test_no_other_place_lists_the_statuses():
    assert listings(STATUSES) == {
        # The ends of a run, and those of a process, of any work.
        "src/attop_bench/jobs/limits.py": [sorted(FAILED), ["error", "memory", "timeout"]]
    }


def test_every_status_is_good_bad_or_neither():
    assert {*FAILED, OK, NOT_APPLICABLE} == set(STATUSES)
    assert len(STATUSES) == len(set(STATUSES)) == len(FAILED) + 2
