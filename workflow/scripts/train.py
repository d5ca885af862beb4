"""Train one method on one fold, or on all of them, for every top."""

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


def train_fold(run, folds, folder, log):
    train(
        Job.from_dict({**spec, "repeat": run.repeat, "fold": run.fold}),
        data=files.data,
        folds=folds,
        scores=str(folder / "scores.npz"),
        record=str(folder / "record.json"),
        log=str(log),
        limits=Limits(**snakemake.config["limits_of"][run.method]),
        digest=digest,
        made=made,
        attempts=Attempts.of(folder.parents[3]),
    )


if output.name == "done.json":
    cut = [files.folds] if isinstance(files.folds, str) else list(files.folds)
    runs = [
        Run(*pair, repeat, fold)
        for repeat in range(len(cut))
        for fold in range(snakemake.config["folds_of"][pair[0]])
    ]
    with job_log(str(log)):
        train_folds(
            runs,
            lambda run: train_fold(
                run,
                cut[run.repeat],
                run.folder(output.parents[3]),
                log.with_name(f"repeat{run.repeat}-fold{run.fold}.log"),
            ),
            done=output,
            params=list(snakemake.params),
            files=[files.data, *cut],
            digest=digest,
        )
    leave_note(snakemake)
else:
    train_fold(Run(*pair, int(wildcards.repeat), int(wildcards.fold)), files.folds, output.parent, log)
