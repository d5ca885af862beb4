"""Train one method on one fold, for every target."""

import json

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.bench.records import write_json
    from attop.bench.training import Job, run_job
    from attop.datasets.base import Dataset, save_arrays

    wildcards = snakemake.wildcards
    spec = json.loads(snakemake.params.job)["spec"]
    job = Job(int(wildcards.repeat), int(wildcards.fold), **spec)
    outcome = run_job(job, Dataset.load(snakemake.input.data))
    print(outcome.record.get("traceback", "ok"))
    save_arrays(snakemake.output.scores, {"test": outcome.test, "scores": outcome.scores})
    write_json(snakemake.output.record, outcome.record)
