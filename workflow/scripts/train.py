"""Train one method on one fold, for every target."""

import json

from attop.bench.job import Request, train

train(
    Request(
        spec=json.loads(snakemake.params.job)["spec"],
        repeat=int(snakemake.wildcards.repeat),
        fold=int(snakemake.wildcards.fold),
        data=snakemake.input.data,
        scores=snakemake.output.scores,
        record=snakemake.output.record,
        log=snakemake.log[0],
        seconds=snakemake.resources.limit_ms / 1000 or None,
        memory_mb=snakemake.resources.limit_mb or None,
    )
)
