from attop_bench.run.blocks import BLOCKS, RECORD, SCORES
from attop_bench.run.notes import note_of, noted
from attop_bench.run.resources import Requests, needs
from attop_bench.run.start import any_of, planned, taken_over
from attop_bench.run.tables import EVALUATED
from attop_bench.run.up_to_date import Inputs

PLAN = planned(workflow, config, HERE, beside)
CONFIG = PLAN.config
INPUTS = Inputs(PLAN, lambda name: beside(f"workflow/scripts/{name}.py"))
REQUESTS = Requests(PLAN)
OUT = CONFIG.output
LOGS = f"{OUT}/logs"
REPORT, MANIFEST = f"{OUT}/report.html", f"{OUT}/manifest.json"
BY_FOLD = CONFIG.granularity == "fold"
TAKEN = taken_over(workflow, PLAN, logger)
# What a cluster's job was submitted with, it runs itself: else the plugin of SLURM starts a step and a Snakemake of
# its own for each job of a group, which takes longer than most of them.
CLUSTER_JOB = internals.on_cluster(workflow)


wildcard_constraints:
    dataset=any_of(d.id for d in CONFIG.datasets),
    method=any_of(m.id for m in CONFIG.methods),
    repeat=r"\d+",
    fold=r"\d+",
    block=BLOCKS,
