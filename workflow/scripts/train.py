"""Train one method on one fold, for every target."""

from attop.bench.job import Job, train
from attop.bench.parameters import by_name
from attop.bench.spec import JobSpec
from attop.jobs.limits import Limits

wildcards, inputs, resources = snakemake.wildcards, by_name(snakemake.params), snakemake.resources
spec = {**inputs["data"], **inputs["selection"], **inputs["method"], "seed": inputs["seed"]}
train(
    Job(
        JobSpec.from_dict({**spec, "repeat": int(wildcards.repeat), "fold": int(wildcards.fold)}),
        data=snakemake.input.data,
        folds=snakemake.input.folds,
        scores=snakemake.output.scores,
        record=snakemake.output.record,
        log=snakemake.log[0],
        limits=Limits(resources.limit_ms / 1000 or None, resources.limit_mb or None),
    )
)
