"""Train one method on one fold, or on a block of them, for every top."""

import os
from pathlib import Path

from attop_bench.jobs.limits import Limits
from attop_bench.jobs.log import job_log
from attop_bench.run.attempts import Attempts
from attop_bench.run.job import PARTS, Job, Run, train
from attop_bench.run.made import leave_note, made_with
from attop_bench.run.parameters import by_name
from attop_bench.run.resume import train_folds

# Where there are more jobs than cores, what others wait for comes first: a long preparation, an evaluation.
os.nice(10)

wildcards, files, inputs = snakemake.wildcards, snakemake.input, by_name(snakemake.params)
spec = {name: value for part in PARTS for name, value in inputs[part].items()} | {"seed": inputs["seed"]}
output, log = Path(snakemake.output[0]), Path(snakemake.log[0])
made = made_with(snakemake.params, files)
pair, digest = (wildcards.dataset, wildcards.method), inputs["digest"]


def train_fold(run, folds, folder, log, root):
    train(
        Job.from_dict({**spec, "repeat": run.repeat, "fold": run.fold}),
        data=files.data,
        folds=folds,
        scores=str(folder / "scores.npz"),
        record=str(folder / "record.json"),
        log=str(log),
        limits=Limits(**inputs["limits"]),
        digest=digest,
        made=made,
        attempts=Attempts.of(root),
        candidates=inputs.get("candidates", ""),
    )


def train_block(cut):
    """Train the folds of a block; `cut` has the file of folds of each repeat."""

    def train_one(run, folder):
        """Train a fold; what it prints joins the log of the block, unless it was killed."""
        printed = folder.with_suffix(".log")
        train_fold(run, cut[run.repeat], folder, printed, output.parents[3])
        print(f"=== repeat {run.repeat}, fold {run.fold}\n{printed.read_text(errors='replace')}")
        printed.unlink()

    train_folds(
        [Run(*pair, repeat, fold) for repeat, fold in inputs["runs"]],
        train_one,
        archive=output,
        # All that the results of a fold depend on.
        params=[param for param in snakemake.params if not param.keys() & {"runs", "limits"}],
        files=lambda run: [files.data, cut[run.repeat]],
        digest=digest,
    )


if "runs" in inputs:
    with job_log(str(log)):
        repeats = dict.fromkeys(repeat for repeat, _ in inputs["runs"])
        train_block(dict(zip(repeats, files.folds, strict=True)))
    leave_note(snakemake)
else:
    run = Run(*pair, int(wildcards.repeat), int(wildcards.fold))
    train_fold(run, files.folds, output.parent, log, output.parents[4])
