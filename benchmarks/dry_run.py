"""`snakemake --dry-run` of the benchmark against rules of the same jobs, files and kind without its helpers.

    python -m benchmarks.dry_run 1000   # training jobs: at most 1.3 times wanted
    python -m benchmarks.dry_run 10000  # at most 1.1 times

Processor time, in turn. Nothing has been made before: all jobs are to be done. The plain rules have scripts,
as the benchmark's: Snakemake reads the script of every job, 0.6 s for a thousand.
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import header, interleave_programs, show

ROOT = Path(__file__).parents[1]
FOLDS = 10
METHODS = [
    *("soft-top", "perceptron-avg", "sgd-avg", "gd-papk-avg", "gd-papk-ramp"),
    *("rankboost", "push-8", "logistic-regression", "linear-svm", "random-forest"),
]
REST = """
    log: "results/logs/{name}{log}.log"
    priority: 2
    resources:
        mem_mb=1000,
        runtime=10,
    params: seed={{"seed": 0}}, data={{"data": "digit-8"}}, code={{"code": "{name}"}}
    message: "{name}{message}"
    script: "nothing.py"
"""
PLAIN = """
METHODS, REPEATS, FOLDS = {methods}, range({repeats}), range({folds})
RUNS = "results/train/digit-8/{{method}}/repeat{{repeat}}-fold{{fold}}/"
SCORES = expand(RUNS + "scores.npz", method=METHODS, repeat=REPEATS, fold=FOLDS)
RECORDS = expand(RUNS + "record.json", method=METHODS, repeat=REPEATS, fold=FOLDS)
SPLITS = expand("results/data/digit-8/folds/repeat{{repeat}}.npz", repeat=REPEATS)
TABLES = ["results/evaluation/digit-8/evaluation.parquet", "results/evaluation/digit-8/trace.parquet"]
DATA = "results/data/digit-8/dataset.npz"

rule all:
    input: "results/report.html", DATA, SPLITS, SCORES, RECORDS, TABLES
"""
RULES = {
    "prepare": ("", "DATA"),
    "split": ("data=DATA", '"results/data/digit-8/folds/repeat{repeat}.npz"'),
    "compile": ("", '"results/data/compiled/{method}.json"'),
    "train": (
        '"results/data/compiled/{method}.json", data=DATA, '
        'folds="results/data/digit-8/folds/repeat{repeat}.npz"',
        'scores=RUNS + "scores.npz", record=RUNS + "record.json"',
    ),
    "evaluate": ("data=DATA, scores=SCORES, records=RECORDS", "TABLES[0]"),
    "trace": (
        'data=DATA, folds=SPLITS[0], records=expand(RUNS + "record.json", method=METHODS, repeat=0, fold=0)',
        "TABLES[1]",
    ),
    "report": ("data=DATA, tables=TABLES", '"results/report.html"'),
}
WILDCARDS = {"split": ["repeat"], "compile": ["method"], "train": ["method", "repeat", "fold"]}


def rule(name, inputs, outputs):
    """Return a rule with what every rule of the benchmark has, all of it constant."""
    given = f"    input: {inputs}\n" if inputs else ""
    log, message = (
        "".join(f" {{{before}{wildcard}}}" for wildcard in WILDCARDS.get(name, ()))
        for before in ("", "wildcards.")
    )
    rest = REST.format(name=name, log=log, message=message)
    return f"\nrule {name}:\n{given}    output: {outputs}{rest}"


def program(folder, *arguments):
    """Return a Python program that runs Snakemake in a folder, where no other profile is found."""
    given = ["--dry-run", "--quiet", "all", "--cores", "2", *arguments]
    quiet = f"os.chdir({str(folder)!r}); os.dup2(os.open(os.devnull, os.O_WRONLY), 1)"
    return f"import os\n{quiet}\nfrom snakemake.cli import main\nmain({given!r})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", type=int, help="training jobs")
    parser.add_argument("--repeats", type=int, default=3, help="of the measurement")
    options = parser.parse_args()
    repeats = options.jobs // (len(METHODS) * FOLDS)
    protocol = {"kind": "stratified", "repeats": repeats, "options": {"n_folds": FOLDS, "inner_folds": 3}}
    with TemporaryDirectory() as name:
        ours = Path(name) / "ours"
        plain = Path(name) / "plain"
        ours.mkdir()
        plain.mkdir()
        config = {"datasets": [{"id": "digit-8", "protocol": protocol}], "methods": METHODS}
        (ours / "config.yaml").write_text(json.dumps(config))
        text = PLAIN.format(methods=METHODS, repeats=repeats, folds=FOLDS)
        (plain / "Snakefile").write_text(text + "".join(rule(name, *files) for name, files in RULES.items()))
        (plain / "nothing.py").touch()
        first = program(ours, "-s", str(ROOT / "Snakefile"), "--configfile", "config.yaml")
        second = program(plain, "--scheduler", "greedy")
        header()
        goal = 1.3 if options.jobs <= 1000 else 1.1
        found = interleave_programs(first, second, options.repeats)
        show(f"dry run, {options.jobs} training jobs : plain rules", found, goal)


if __name__ == "__main__":
    main()
