"""What every solver's loop ends with: history, callback, clock."""

import numpy as np

from attop.solvers.base import Deadline, Monitor

ONE = np.ones(1)


def test_the_callback_is_told_of_the_best_and_the_history_of_the_current():
    told = []
    monitor = Monitor(callback=lambda t, coef, objective: told.append((t, coef.tolist(), objective.tolist())))
    monitor.record(3, np.eye(2), ONE, current=2 * ONE, gap=ONE / 4)
    assert told == [(3, [[1, 0], [0, 1]], [1.0])]
    history = monitor.history
    assert (history.iteration, history.objective, history.gap) == ([3], [2.0], [0.25])
    assert not monitor.over()
    assert monitor.ended is None


def test_a_callback_that_returns_true_ends_the_run_for_good():
    monitor = Monitor(callback=lambda t, coef, objective: t == 1)
    for t in range(3):
        monitor.record(t, ONE, ONE)
        assert monitor.over() == (t >= 1)
    assert monitor.ended == "stopped"


def test_the_time_limit_ends_the_run_once_someone_asks():
    monitor = Monitor(1e-9)
    monitor.record(0, ONE, ONE)
    assert monitor.ended is None
    assert monitor.over()
    assert monitor.ended == "deadline"


def test_a_clock_that_is_already_running_goes_on():
    deadline = Deadline(1e-9)
    assert Monitor(deadline).over()


def test_what_was_asked_for_outweighs_the_clock():
    monitor = Monitor(1e-9, callback=lambda t, coef, objective: True)
    monitor.record(0, ONE, ONE)
    assert monitor.over()
    assert monitor.ended == "stopped"
