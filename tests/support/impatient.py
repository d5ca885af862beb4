"""Snakemake that looks at its jobs of SLURM each second: the plugin waits ten more after each look."""

from snakemake.cli import main
from snakemake_executor_plugin_slurm import Executor

Executor.next_seconds_between_status_checks = property(lambda executor: 1.0, lambda executor, seconds: None)

if __name__ == "__main__":
    main()
