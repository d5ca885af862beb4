"""The parameters of rules as JSON values."""

import datetime
import json

from attop_bench.run.parameters import by_name, plain
from attop_bench.run.up_to_date import either, named


def test_the_order_of_a_mapping_changes_nothing():
    one, two = {"b": {"y": 1, "x": [1, 2]}, "a": 3}, {"a": 3, "b": {"x": [1, 2], "y": 1}}
    assert json.dumps(plain(one)) == json.dumps(plain(two))


def test_keys_that_yaml_allows_beside_text():
    mixed = {"a": 1, 2: {"b": (3,), None: 4}, datetime.date(2020, 1, 1): datetime.date(2021, 1, 1)}
    assert plain(mixed) == {"2": {"None": 4, "b": [3]}, "2020-01-01": "2021-01-01", "a": 1}


def test_parameters_come_back_by_name():
    given = named(seed=3, method=lambda w: {"id": w})
    params = [value("svm") if callable(value) else value for value in given.values()]
    assert by_name([*params, {"code": "x"}]) == {"seed": 3, "method": {"id": "svm"}}


def test_a_function_only_where_values_differ():
    assert either({"aatp": {"k": 3}, "svm": {"k": 3}}, len) == {"k": 3}
    of = either({"aatp": 1, "svm": 2}, lambda w: w["method"])
    assert [of({"method": name}) for name in ("svm", "aatp")] == [2, 1]
