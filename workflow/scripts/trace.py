"""Record surrogate and metric along training, of one run per method."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    import pandas as pd

    from attop._core.top import main_top
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.run.folds import read_folds
    from attop_bench.run.job import Job
    from attop_bench.run.parameters import by_name
    from attop_bench.run.record import Record
    from attop_bench.run.tables import KEY, TABLES, write_tables
    from attop_bench.run.trace import trace

    files, dataset, rows = snakemake.input, load_available(snakemake.input.data), []
    runs = by_name(snakemake.params)["runs"] if isinstance(dataset, Dataset) else []
    for (method, said), record in zip(runs, files.records, strict=len(runs) > 0):
        job = Job.from_dict(said)
        top = main_top(set(map(str, job.tops)))
        fold, *_ = read_folds(files.folds, dataset, job.split)
        key = dict(zip(KEY, (snakemake.wildcards.dataset, method, 0, 0, top), strict=True))
        rows += [key | row for row in trace(job, dataset, fold, Record.read(record), top)]
    table = pd.DataFrame(rows, columns=[*KEY, *TABLES["trace"]])
    write_tables({"trace": table}, Path(snakemake.output[0]).parent)
