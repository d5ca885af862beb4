"""Record surrogate and metric along training, of one run per method."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    import pandas as pd

    from attop.extending import main_top
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.run.blocks import method_of
    from attop_bench.run.folds import read_folds
    from attop_bench.run.job import Job
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name
    from attop_bench.run.record import Record, places_of, repeating_spoilt
    from attop_bench.run.tables import KEY, TABLES, write_tables
    from attop_bench.run.trace import trace

    files, output, name = snakemake.input, Path(snakemake.output[0]), snakemake.wildcards.dataset
    dataset, rows = load_available(files.data), []
    runs = by_name(snakemake.params)["runs"] if isinstance(dataset, Dataset) else []
    with repeating_spoilt():
        _, records = places_of(files.trained)
    first = {method_of(path): path for path in records if path.parent.name == "repeat0-fold0"}
    for method, said in runs:
        job = Job.from_dict(said)
        top = main_top(set(map(str, job.tops)))
        fold, *_ = read_folds(files.folds, dataset, job.split)
        key = dict(zip(KEY, (name, method, 0, 0, top), strict=True))
        with repeating_spoilt():
            record = Record.read(first[method])
        rows += [key | row for row in trace(job, dataset, fold, record, top)]
    table = pd.DataFrame(rows, columns=[*KEY, *TABLES["trace"]])
    write_tables({"trace": table}, output.parent)
    leave_note(snakemake, can_be_taken_over=False)
