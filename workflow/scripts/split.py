"""Cut a data set into the folds of one repeat."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop_bench.data.base import Unavailable, load_available, save_unavailable
    from attop_bench.data.splits.protocols import make_folds
    from attop_bench.run.folds import write_folds
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name

    split = by_name(snakemake.params)["split"]
    dataset = load_available(snakemake.input.data)
    if isinstance(dataset, Unavailable):
        save_unavailable(snakemake.output[0], snakemake.wildcards.dataset, dataset)
    else:
        how = (split["kind"], dataset, split["repeat"], split["seed"])
        folds = make_folds(*how, **split["options"])
        write_folds(snakemake.output[0], folds, dataset, split)
    leave_note(snakemake)
