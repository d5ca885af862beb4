import os

from snakemake.exceptions import WorkflowError

from attop_bench.run.blocks import BLOCKS, RECORD, SCORES
from attop_bench.run.output import hold
from attop_bench.run.start import any_of, planned
from attop_bench.run.tables import CELLS, EVALUATED, TABLES
from attop_bench.run.up_to_date import Inputs, either, refusal

PLAN = planned(workflow, config, HERE, beside)
CONFIG = PLAN.config
INPUTS = Inputs(PLAN, lambda name: beside(f"workflow/scripts/{name}.py"))
OUT = CONFIG.output
if internals.is_main(workflow) and (refused := refusal(OUT)):
    raise WorkflowError(refused)
LOGS = f"{OUT}/logs"
BY_FOLD = CONFIG.granularity == "fold"
# What a cluster's job was submitted with, it runs itself: else the plugin of SLURM starts a step and a Snakemake of
# its own for each job of a group, which takes longer than most of them.
CLUSTER_JOB = internals.on_cluster(workflow)
LIMITED = internals.is_limited(workflow)
REPORT, MANIFEST = f"{OUT}/report.html", f"{OUT}/manifest.json"


def memory(w, input, attempt):
    """MB a job may take: Python and its packages, some copies of the data, more at each attempt."""
    # Not `input.size_mb`, an asynchronous question about each file of each job: 0.3 s for a thousand jobs.
    return attempt * (1000 + 10 * round(sum(map(os.path.getsize, input)) / 1e6))


def needs(minutes):
    """The memory and the time of a job that is no training, more at each attempt."""
    return {"mem_mb": memory, "runtime": lambda w, attempt: attempt * minutes}


def by_method(of):
    """The value of `of` for a method: a function of the wildcards, asked for each job, only if methods differ."""
    return either({m.id: of(m) for m in CONFIG.methods}, lambda w: w.method)


def requested():
    """The resources of a training run, by the names of Snakemake's SLURM plugin; some only for some methods.

    A group of jobs on one CPU (`cores: 1` of its profile) would get one thread, whatever `threads` says.
    """
    limits = {"mem_mb": training_memory, "runtime": training_minutes}
    asked = {
        "cpus_per_task": by_method(lambda m: m.resources.threads),
        "gpu": by_method(lambda m: m.resources.gpus),
    }
    none = {"cpus_per_task": 1, "gpu": 0}
    some = {name: of for name, of in asked.items() if of != none[name]}
    return some | limits if LIMITED else some


@internals.asked_often
def training_memory(w, input, attempt):
    """`memory`; from the second attempt more than the limit of the configuration, and then half as much again.

    A run beyond that limit then leaves a record that says so, instead of being killed by the scheduler.
    """
    limit = CONFIG.limits_of(w.method)["memory_mb"] if attempt > 1 else None
    return max(memory(w, input, attempt), round(((limit or 0) + 500) * attempt / 2))


@internals.asked_often
def training_minutes(w, attempt):
    """Ten minutes for each attempt; from the second more than the limit of the configuration, as for memory."""
    limit = CONFIG.limits_of(w.method)["seconds"] if attempt > 1 else None
    return len(PLAN.runs_of(w)) * max(10 * attempt, round((limit or 0) / 60) + 5)


wildcard_constraints:
    dataset=any_of(d.id for d in CONFIG.datasets),
    method=any_of(m.id for m in CONFIG.methods),
    repeat=r"\d+",
    fold=r"\d+",
    block=BLOCKS,
