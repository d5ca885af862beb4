"""Record surrogate and metric along training, of one run per method."""

import json
from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.analysis.compute.targets import main_target
    from attop.bench.available import load_available
    from attop.bench.tables import write_tables
    from attop.bench.trace import trace_table
    from attop.files import read_json
    from attop.top import Top

    files, jobs = snakemake.input, dict(json.loads(snakemake.params.job)["jobs"])
    records = dict(zip(jobs, map(read_json, files.records), strict=True))
    targets = {str(Top.of(target)) for spec in jobs.values() for target in spec["targets"]}
    target = main_target(targets) if targets else ""
    dataset = load_available(files.data)
    table = trace_table(snakemake.wildcards.dataset, dataset, jobs, records, target)
    write_tables({"trace": table}, Path(snakemake.output[0]).parent)
