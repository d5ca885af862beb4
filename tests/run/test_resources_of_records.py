"""Memory and time that are asked of a scheduler: by the entry, past records, the size of the data."""

import numpy as np
import pytest

from attop_bench.data.base import save_arrays
from attop_bench.files import write_json
from attop_bench.run.config import ConfigError
from attop_bench.run.plan import Plan
from attop_bench.run.resources import Requests
from support.small_run import configured, entry

LIMITS = {"seconds": 1200, "memory_mb": 4000}
FIRST = {"memory_mb": 1000 + 10 * 7, "minutes": 10}


@pytest.fixture
def requests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(limits=LIMITS, **resources):
        method = {"id": "m", "estimator": "attop.SVMPerf", "resources": resources, "limits": limits}
        datasets = [entry(id="one"), entry(id="two")]
        return Requests(Plan(configured(output="out", methods=[method], datasets=datasets)))

    return made


def finish(requests, dataset, peak, seconds, status="ok", fold=0):
    run = list(requests.plan.runs(dataset))[fold]
    record = {"status": status, "peak_memory_mb": peak, "seconds": {"training": seconds}}
    write_json(requests.plan.record_path(run), record)


def prepare(requests, dataset, items):
    save_arrays(requests.plan.stage_path(dataset), {"X": np.random.default_rng(0).normal(size=items)})


def asked(requests, dataset="one", attempts=(1, 2, 3), n_folds=1):
    memory = [requests.memory_mb(dataset, "m", attempt, 7.2) for attempt in attempts]
    return memory, [requests.minutes(dataset, "m", attempt, n_folds) for attempt in attempts]


def test_without_any_record_it_is_the_default(requests):
    memory, minutes = asked(requests())
    assert (memory[0], minutes[0]) == (FIRST["memory_mb"], FIRST["minutes"])


def test_past_runs_of_the_same_data_and_method_say_it(requests):
    """By that which took most; those that failed say nothing."""
    one = requests()
    finish(one, "one", 400.0, 60.0)
    finish(one, "one", 800.0, 100.0, fold=1)
    finish(one, "one", 3900.0, 1000.0, fold=2, status="error")
    memory, minutes = asked(one)
    assert (memory[0], minutes[0]) == (1.5 * 800 + 900, 3 * 100 / 60 + 5)


def test_past_runs_on_other_data_are_scaled_by_size(requests):
    one = requests()
    finish(one, "two", 800.0, 100.0)
    assert asked(one)[0][0] == FIRST["memory_mb"]  # neither size is known
    for items, least, most in ((3000, 2.8, 3.1), (500, 1, 1)):  # a smaller one asks for no less
        one = requests()
        prepare(one, "two", 1000)
        prepare(one, "one", items)
        memory, minutes = asked(one)
        assert least * 1.5 * 800 <= memory[0] - 900 <= most * 1.5 * 800
        assert least * 5 <= minutes[0] - 5 <= most * 5 + 1


@pytest.mark.parametrize("peak", [None, 100.0, 800.0, 1e5])
@pytest.mark.parametrize("limits", [LIMITS, {"seconds": None, "memory_mb": None}])
@pytest.mark.parametrize(
    "resources", [{}, {"memory_mb": 300, "minutes": 2}, {"memory_mb": 9000, "minutes": 99}]
)
def test_each_attempt_asks_for_no_less_and_the_second_for_the_limit(requests, peak, limits, resources):
    one = requests(limits, **resources)
    if peak:
        finish(one, "one", peak, peak / 10)
    memory, minutes = asked(one)
    assert memory == sorted(memory)
    assert minutes == sorted(minutes)
    assert memory[2] > memory[1]
    if limits == LIMITS:
        assert memory[1] >= 4000
        assert minutes[1] >= 20
        assert "memory_mb" in resources or memory[0] <= 4000 + 900  # beyond it a job is stopped anyway
    assert minutes[0] * 5 == asked(one, n_folds=5)[1][0]
    assert all(isinstance(number, int) for number in (*memory, *minutes))


def test_an_entry_says_it_for_all_data_or_for_one(requests):
    one = requests(memory_mb=2000, minutes=3, threads=2, datasets={"two": {"memory_mb": 16000, "gpus": 1}})
    finish(one, "one", 800.0, 100.0)
    assert [asked(one, name)[0][0] for name in ("one", "two")] == [2000, 16000]
    assert [asked(one, name)[1][0] for name in ("one", "two")] == [3, 3]
    assert [one.entry(name, "m").threads for name in ("one", "two")] == [2, 2]
    assert [one.entry(name, "m").gpus for name in ("one", "two")] == [0, 1]


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        (
            {"datasets": {"tow": {"threads": 2}}},
            "resources: datasets: unknown data set 'tow'; did you mean 'two'",
        ),
        ({"datasets": {"two": {"datasets": {"one": {}}}}}, "two: datasets: data sets are named once"),
        ({"memory_mb": 0}, "resources: memory_mb: input should be greater than 0"),
        ({"memory": 3000}, "resources: memory: unknown key; did you mean 'memory_mb'"),
        ({"datasets": {"two": {"gpu": 1}}}, "gpu: unknown key; did you mean 'gpus'"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_before_a_run(requests, resources, message):
    with pytest.raises(ConfigError) as refused:
        requests(**resources)
    assert message in str(refused.value)
