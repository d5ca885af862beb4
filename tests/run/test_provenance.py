"""Machine and software of each run: in its record, compared in the report, and with what is installed."""

import json
import platform
import sys
from importlib.metadata import version

import pytest
from sklearn.linear_model import LogisticRegression

from attop_bench.run import provenance as provenances
from attop_bench.run.provenance import compared, outdated, provenance, short

WRAPPER = """
import yaml
from sklearn.linear_model import LogisticRegression

class Wrapper(LogisticRegression):
    pass
"""


@pytest.fixture
def wrapper(tmp_path, monkeypatch):
    (tmp_path / "own_wrapper.py").write_text(WRAPPER)
    monkeypatch.syspath_prepend(tmp_path)
    import own_wrapper

    yield own_wrapper.Wrapper
    del sys.modules["own_wrapper"]


def test_the_environment_names_what_computed():
    found = provenance(LogisticRegression)
    assert found["versions"]["scikit-learn"] == version("scikit-learn")
    assert found["python"] == platform.python_version()
    assert found["cpu"]
    assert found["blas"]
    assert found["commit"] == provenances.commit()


def test_packages_behind_an_own_class_are_named(wrapper):
    """That of a base, and what the module imports, by the names of distributions."""
    versions = provenance(wrapper)["versions"]
    assert versions["PyYAML"] == version("PyYAML")
    assert not {"own_wrapper", "yaml", "sys"} & versions.keys()


def test_an_environment_that_is_that_of_here_is_not_outdated(wrapper):
    for estimator in (LogisticRegression, wrapper):
        assert outdated(provenance(estimator)) == {}
    assert outdated({}) == {}  # of an older record


@pytest.mark.parametrize(
    ("changed", "packages"),
    [
        ({"versions": {"numpy": "0.1"}}, {"numpy": f"0.1, here {version('numpy')}"}),
        ({"versions": {"gone": "1.0"}}, {"gone": "1.0, here not installed"}),
        ({"python": "3.9.1"}, {"python": f"3.9.1, here {platform.python_version()}"}),
        ({"versions": {"attop": "0.1", "snakemake": "1"}}, {}),  # code has a fingerprint; it only starts jobs
        ({"cpu": "another", "host": "another", "blas": "another", "commit": "another"}, {}),
        ({"versions": {"numpy": "0.1"}, "prefix": "/w/.snakemake/conda/x"}, {}),  # not those of here
    ],
)
def test_what_is_outdated(changed, packages):
    assert outdated({**provenance(LogisticRegression), **changed}) == packages


def environments(**changes):
    here = {"python": "3.12.1", "versions": {"numpy": "2.0"}, "cpu": "A", "blas": "B", "commit": "c"}
    return short({**here, **changes})


def test_one_line_where_all_agree():
    runs = [("one", environments()), ("two", environments(host="n1"))]
    line = "Python 3.12.1, processor A, linear algebra B, commit c, numpy 2.0"
    assert compared(runs) == {"Runs trained with": line}
    more = {"versions": {"numpy": "2.0", "boost": "1"}}
    assert compared([*runs, ("three", environments(**more))]) == {"Runs trained with": f"{line}, boost 1"}
    assert compared([("one", ""), ("two", "")]) == {}
    assert short({"python": "3.12.1", "host": "h"}) == ""  # of an older record, or of a job that was killed


def test_where_they_differ_methods_and_counts_are_named():
    runs = [("one", environments()), ("one", environments(cpu="Z")), ("two", environments(cpu="Z"))]
    rows = compared([*runs, ("two", environments(versions={"numpy": "1.9"})), ("three", "")])
    assert rows["processor"] == "A in 2 runs of one and two; Z in 2 runs of one and two"
    assert rows["numpy"] == "1.9 in 1 run of two; 2.0 in 3 runs of one and two"
    assert rows["Runs trained with"] == "Python 3.12.1, linear algebra B, commit c"


def test_the_environment_is_no_part_of_what_makes_a_record_out_of_date(tmp_path):
    from attop_bench.run.record import Record, digest_of

    for name, cpu in (("a", "A"), ("b", "B")):
        Record(environment={"cpu": cpu}).write(tmp_path / f"{name}.npz", tmp_path / f"{name}.json", "d1")
    assert digest_of(tmp_path / "a.json") == digest_of(tmp_path / "b.json") == "d1"
    assert json.loads((tmp_path / "a.json").read_text())["environment"] == {"cpu": "A"}
