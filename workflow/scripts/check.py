"""Check the tops of a data set against its folds before anything is trained on it."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop._core.files import write_json
    from attop.metrics._custom import find_metric
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.data.fetch import end_without_data
    from attop_bench.run.checks import check_tops
    from attop_bench.run.folds import read_folds
    from attop_bench.run.options import DatasetConfig
    from attop_bench.run.parameters import by_name

    end_without_data(snakemake.config["receipts"])  # those that were on their way before may be there now
    given, dataset = by_name(snakemake.params), load_available(snakemake.input.data)
    if isinstance(dataset, Dataset):
        data = DatasetConfig.model_validate(given["data"])
        files = zip(snakemake.input.folds, given["splits"], strict=True)
        folds = [read_folds(path, dataset, split) for path, split in files]
        check_tops(data, find_metric(data.scoring, given["custom_metrics"]), dataset, folds)
        write_json(snakemake.output[0], dataset.summary())
    else:
        write_json(snakemake.output[0], {"unavailable": dataset.reason})
