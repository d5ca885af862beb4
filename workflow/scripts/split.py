"""Cut a data set into the folds of one repeat, and check that every top can be selected in them."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop_bench.data.base import Unavailable, load_available, save_unavailable
    from attop_bench.data.files.fetch import end_without_data
    from attop_bench.data.splits.protocols import make_folds
    from attop_bench.run.checks import check_cut
    from attop_bench.run.folds import write_folds
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name

    given = by_name(snakemake.params)
    end_without_data(given["receipts"])  # those that were on their way before may be there now
    split, dataset = given["split"], load_available(snakemake.input.data)
    if isinstance(dataset, Unavailable):
        save_unavailable(snakemake.output[0], snakemake.wildcards.dataset, dataset)
    else:
        how = (split["kind"], dataset, split["repeat"], split["seed"])
        folds = make_folds(*how, **split["options"])
        check_cut(given["checked"], given["custom_metrics"], dataset, split["repeat"], folds)
        write_folds(snakemake.output[0], folds, dataset, split)
    leave_note(snakemake)
