"""A small configuration, and running the workflow on it as a user does."""

import re
from functools import cache
from unittest.mock import patch

import yaml

from attop_bench.run.config import load_config, read_yaml
from support import ROOT, forked

SMALL = {
    "title": "A small run",
    "seed": 3,
    "output": "results",
    "catalogues": {"datasets": "config/datasets.yaml", "methods": "config/methods.yaml"},
    "datasets": [
        {
            "id": "wdbc",
            "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
            "tops": [{"k": 10}, {"tau": 0.3}],
        },
        {
            "id": "many-users",
            "params": {"n_users": 8},
            "protocol": {"kind": "within-groups", "repeats": 1},
            "tops": [{"k": 5}],
        },
    ],
    "methods": [
        {"id": "gd-papk-avg", "param_grid": {"eta": [0.5, 5], "lam": [0.01]}},
        {"id": "sgd-avg", "params": {"epochs": 2}, "param_grid": {"eta": [0.1, 1]}},
        {"id": "logistic-regression", "param_grid": {"C": [0.1, 1]}},
    ],
}

#: Of it one data set and logistic regression.
ONE = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:], "trace": False}


def snakemake(folder, *arguments, config=SMALL, program="snakemake", **options):
    """Run the workflow in `folder`, with options of `forked.run`, and return what that does."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    where = ["-s", ROOT / "Snakefile", "--directory", folder, "--configfile", folder / "config.yaml"]
    return forked.run(program, [*where, *arguments], folder, **options)


def jobs(output):
    """Return the table of job counts of a dry run, without the top rule."""
    found = re.findall(r"^(\w+) +(\d+)$", output.split("Job stats:")[1].split("total")[0], re.MULTILINE)
    return {rule: int(count) for rule, count in found if rule not in ("all", "whole")}


def without_figures(monkeypatch):
    """Have pages without them, which take most of the time."""
    for drawings in ("PER_DATASET", "ACROSS", "PAPER"):
        monkeypatch.setattr(f"attop_bench.report.page.report.{drawings}", ())


#: To parse the same catalogues again takes most of the time.
READ = cache(read_yaml)


def configured(**changes):
    """Return the default configuration with other keys."""
    with patch("attop_bench.run.config.read_yaml", READ):
        return load_config({**READ(ROOT / "config/config.yaml"), **changes}, ROOT)


def entry(**changes):
    """Return a data set of a configuration."""
    base = {"id": "mine", "kind": "wdbc", "protocol": {"kind": "stratified"}, "tops": [{"k": 3}]}
    return {**base, **changes}
