"""The profile for any scheduler, with a submit command that starts jobs in the background of this machine."""

import numpy as np
import pytest

from support import ROOT
from support.small_run import ONE, snakemake

pytest.importorskip("snakemake_executor_plugin_cluster_generic")

#: Found by what the Snakefile puts on the path.
OF_STUDIES = {"id": "of-studies", "estimator": "studies.movielens.reference_lines.InnerProduct"}
METHODS = "of-studies", "logistic-regression"
SCORES = [f"results/train/wdbc/{method}/repeat0-fold0/scores.npz" for method in METHODS]
SUBMIT = """#!/bin/sh
echo "$@" >> submitted
"$4" > /dev/null 2>&1 &
echo $!
"""


def test_results_are_those_of_a_run_on_one_machine(finished, tmp_path):
    submit = tmp_path / "submit.sh"
    submit.write_text(SUBMIT)
    asked = "{threads} {resources.mem_mb} {resources.runtime}"
    status, output = snakemake(
        tmp_path / "cluster",
        "--profile",
        str(ROOT / "profiles" / "cluster"),
        "--cluster-generic-submit-cmd",
        f"sh {submit} {asked}",
        *SCORES,
        config={**ONE, "methods": [OF_STUDIES, *ONE["methods"]]},
    )
    assert status == 0, output
    submitted = [line.split() for line in (tmp_path / "cluster" / "submitted").read_text().splitlines()]
    assert len(submitted) == 3  # data, compilation and training: a group each
    assert {threads for threads, *_ in submitted} == {"1"}
    training = submitted[-1]
    assert int(training[1]) < 2000  # of its largest job
    assert int(training[2]) == 10 * len(SCORES)  # of all its jobs
    for path in SCORES:
        with np.load(tmp_path / "cluster" / path) as there:
            assert there["scores"].size > 0
            if "of-studies" not in path:
                with np.load(finished / path) as here:
                    np.testing.assert_array_equal(there["scores"], here["scores"])
