"""Run one preparation stage of a data set."""

import json
from pathlib import Path

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.datasets.catalogue import build

    spec = json.loads(snakemake.params.spec)
    output = Path(snakemake.output[0])
    previous = snakemake.input[0] if snakemake.input else None
    build(spec, output.stem, previous, output)
