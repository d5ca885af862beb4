"""Train one method on one fold, for every top."""

from attop_bench.jobs.limits import Limits
from attop_bench.run.job import PARTS, Job, train
from attop_bench.run.parameters import by_name

wildcards, inputs = snakemake.wildcards, by_name(snakemake.params)
spec = {name: value for part in PARTS for name, value in inputs[part].items()} | {"seed": inputs["seed"]}
train(
    Job.from_dict({**spec, "repeat": int(wildcards.repeat), "fold": int(wildcards.fold)}),
    data=snakemake.input.data,
    folds=snakemake.input.folds,
    scores=snakemake.output.scores,
    record=snakemake.output.record,
    log=snakemake.log[0],
    limits=Limits(**snakemake.config["limits_of"][wildcards.method]),
    digest=inputs["digest"],
)
