import os

from snakemake.exceptions import WorkflowError

from attop_bench.run.blocks import BLOCKS, RECORD, SCORES
from attop_bench.run.output import hold
from attop_bench.run.made import runs_again
from attop_bench.run.resources import Requests
from attop_bench.run.start import any_of, planned
from attop_bench.run.tables import CELLS, EVALUATED, TABLES
from attop_bench.run.up_to_date import Inputs, TakeOver, either, refusal, take_over

PLAN = planned(workflow, config, HERE, beside)
CONFIG = PLAN.config
INPUTS = Inputs(PLAN, lambda name: beside(f"workflow/scripts/{name}.py"))
OUT = CONFIG.output
TAKEN = take_over(PLAN) if internals.is_main(workflow) else TakeOver()
if TAKEN.line:
    logger.warning(TAKEN.line)
if TAKEN.since:
    internals.run_again(
        lambda job: runs_again(
            job.output, job.non_derived_params, job.input, TAKEN.since
        )
    )
elif internals.is_main(workflow) and (refused := refusal(OUT)):
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


REQUESTS = Requests(PLAN)


def asked_for(name):
    """What the entry of a method says: a value, or a function of the wildcards where methods or data sets differ."""
    pairs = [(d.id, m.id) for d in CONFIG.datasets for m in CONFIG.methods]
    asked = {pair: getattr(REQUESTS.entry(*pair), name) for pair in pairs}
    return either(asked, lambda w: (w.dataset, w.method))


def requested():
    """The resources of a training run, by the names of Snakemake's SLURM plugin; some only for some methods.

    A group of jobs on one CPU (`cores: 1` of its profile) would get one thread, whatever `threads` says.
    """
    limits = {"mem_mb": training_memory, "runtime": training_minutes}
    names = {
        "cpus_per_task": "threads",
        "gpu": "gpus",
        "gpu_model": "gpu_model",
        "slurm_partition": "partition",
    }
    asked = {resource: asked_for(name) for resource, name in names.items()}
    none = {"cpus_per_task": 1, "gpu": 0, "gpu_model": None, "slurm_partition": None}
    some = {name: of for name, of in asked.items() if of != none[name]}
    return some | limits if LIMITED else some


@internals.asked_often
def training_memory(w, input, attempt):
    """MB: see `attop_bench.run.resources`."""
    size = sum(map(os.path.getsize, input)) / 1e6
    return REQUESTS.memory_mb(w.dataset, w.method, attempt, size)


@internals.asked_often
def training_minutes(w, attempt):
    """Minutes: see `attop_bench.run.resources`."""
    return REQUESTS.minutes(w.dataset, w.method, attempt, len(PLAN.runs_of(w)))


wildcard_constraints:
    dataset=any_of(d.id for d in CONFIG.datasets),
    method=any_of(m.id for m in CONFIG.methods),
    repeat=r"\d+",
    fold=r"\d+",
    block=BLOCKS,
