"""Compile what a method needs. One that fails here is left to fail in its training jobs, which record it."""

from attop._core.files import write_json
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.server import run_in_process
from attop_bench.run.job import COMPILE
from attop_bench.run.made import leave_note
from attop_bench.run.parameters import by_name

method = by_name(snakemake.params)["method"]
limits = Limits(**snakemake.config["limits_of"][snakemake.wildcards.method])
end = run_in_process(COMPILE, method, snakemake.log[0], limits)
if end.status == "abandoned":  # nobody is there to read why
    raise SystemExit(1)
if end.status == "failed":
    raise SystemExit(end.message)
write_json(snakemake.output[0], {"ended": end.status, "message": end.message, "cpu_seconds": end.cpu_seconds})
leave_note(snakemake)
