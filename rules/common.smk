import gc
import os

from snakemake.exceptions import WorkflowError

from attop_bench.jobs.supervise import adopt_servers
from attop_bench.run.config import ConfigError, load_config, read_yaml
from attop_bench.run.output import hold
from attop_bench.run.places import with_places
from attop_bench.run.plan import Plan
from attop_bench.run.job import Run
from attop_bench.run.made import runs_again
from attop_bench.run.resources import Requests
from attop_bench.run.up_to_date import (
    Inputs,
    TakeOver,
    either,
    is_done,
    refusal,
    take_over,
)

# Snakemake hands its own path to jobs, also to those in an environment of their own, which so find attop and what a
# configuration names.
try:
    for file in internals.configfiles(workflow):
        read_yaml(file)  # refuses a key that is there twice
    GIVEN = internals.configfiles(workflow, given=True)
    SNAKEFILE = beside("Snakefile") if os.path.isdir(HERE) else None
    CONFIG = load_config(with_places(config, GIVEN, SNAKEFILE, beside))
except ConfigError as error:
    raise WorkflowError(f"The configuration cannot be run:\n{error}")

if internals.on_cluster(workflow) or "SLURM_JOB_ID" in os.environ:
    adopt_servers()

# Snakemake keeps all jobs to the end. To look among them for garbage after each 700 objects takes a fifth of its time.
gc.set_threshold(10_000_000, *gc.get_threshold()[1:])

PLAN = Plan(CONFIG)
if lost := PLAN.lost_files():
    raise WorkflowError("\n".join(lost))
INPUTS = Inputs(PLAN, lambda name: beside(f"workflow/scripts/{name}.py"))
OUT = CONFIG.output
TAKEN = take_over(PLAN) if internals.is_main(workflow) else TakeOver()
if TAKEN.line:
    logger.warning(TAKEN.line)
if TAKEN.since:
    internals.run_again(
        lambda job: runs_again(job.output, job.params, job.input, TAKEN.since)
    )
elif internals.is_main(workflow) and (refused := refusal(OUT)):
    raise WorkflowError(refused)
# For the scripts. Among the params it would make finished runs out of date; resources take time for every job.
config = {
    **config,
    "limits_of": {m.id: CONFIG.limits_of(m.id) for m in CONFIG.methods},
    "folds_of": PLAN.folds_of,
    "receipts": PLAN.receipts_of_all(),
}
LOGS = f"{OUT}/logs"
BY_METHOD = CONFIG.granularity == "method"
LIMITED = internals.is_limited(workflow)
CHECKED = f"{OUT}/data/checked.json"
REPORT = f"{OUT}/report.html"


def any_of(names):
    """A wildcard constraint: exactly one of `names`, or nothing when there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def runs_of(w):
    """The runs of a training job: one fold, or all of a method."""
    if BY_METHOD:
        return list(PLAN.runs(w.dataset, only=w.method))
    return [Run(w.dataset, w.method, int(w.repeat), int(w.fold))]


@internals.asked_often
def before_training(w):
    """The checks and the method's compiled code, for a run that is still to be done.

    One that is done does not wait for them: Snakemake would repeat it whenever these are done again for another
    data set or method. (Nor with `ancient`; but below a job that runs again, Snakemake looks for no change of a
    job that only such files join to it.)
    """
    waits = internals.compares_inputs(workflow) or not all(
        is_done(PLAN, run) for run in runs_of(w)
    )
    checked = [CHECKED, f"{OUT}/data/{w.dataset}/checked.json"]
    return [*checked, f"{OUT}/data/compiled/{w.method}.json"] if waits else []


@internals.asked_often
def priority_of(w):
    """The priority of a run, between 0 and 1: the first of a method, for which its curve waits, then long ones."""
    if PLAN.config.trace and not BY_METHOD and (w.repeat, w.fold) == ("0", "0"):
        return 1
    return 1 - 1 / (1 + PLAN.seconds(w.dataset, w.method))


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
    return REQUESTS.minutes(w.dataset, w.method, attempt, len(runs_of(w)))


wildcard_constraints:
    dataset=any_of(d.id for d in CONFIG.datasets),
    method=any_of(m.id for m in CONFIG.methods),
    repeat=r"\d+",
    fold=r"\d+",
