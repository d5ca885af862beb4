"""How a run can have ended is listed once."""

from attop_bench.jobs.limits import FAILED, STATUSES
from support.listings import listings


def test_no_other_place_lists_the_statuses():
    assert listings(STATUSES) == {
        # The ends of a run, and those of a process, of any work.
        "src/attop_bench/jobs/limits.py": [sorted(FAILED), ["error", "killed", "memory", "timeout"]]
    }
