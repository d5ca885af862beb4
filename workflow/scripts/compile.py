"""Check a method and compile what it needs; one whose fit fails is left to its training, which records it."""

from attop_bench.files import write_json
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.server import run_in_process
from attop_bench.run.job import COMPILE
from attop_bench.run.made import leave_note
from attop_bench.run.parameters import by_name

given = by_name(snakemake.params)
end = run_in_process(COMPILE, given["method"], snakemake.log[0], Limits(**given["limits"]))
if end.status == "abandoned":  # nobody is there to read why
    raise SystemExit(1)
if end.status == "failed":
    raise SystemExit(end.message.removeprefix("CannotRun: "))
# Without the time it took, so that it has the same bytes each time.
write_json(snakemake.output[0], {"ended": end.status, "message": end.message})
leave_note(snakemake)
