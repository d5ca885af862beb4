"""The start of the workflow: its plan, and what is told before its first job.

None of it is about a rule. It stands here, and not in a Snakefile, so that rules can be read without it.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterable
from typing import Any

from attop_bench.files import Entry
from attop_bench.jobs.client import why_cold
from attop_bench.jobs.supervise import adopt_servers
from attop_bench.run import snakemake as internals
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.interrupt import heed_interrupt, heed_termination, jobs_begin
from attop_bench.run.made import runs_again
from attop_bench.run.output import lock_output
from attop_bench.run.places import Beside, with_places
from attop_bench.run.plan import Plan
from attop_bench.run.refusal import ConfigError, refuse
from attop_bench.run.up_to_date import TakeOver, refusal, take_over

#: Imported once by a server, which then starts jobs that take less time than these imports.
PRELOAD = "attop_bench.run.preload"
#: The scripts of such jobs.
_SHORT = ("prepare", "split", "compile", "train", "evaluate", "trace")


def begin(workflow: Any) -> None:
    """Heed Ctrl-C, and have jobs started by servers."""
    if internals.is_main(workflow):
        heed_interrupt()
        internals.keep_words_on_groups()
        internals.compare_scripts_by_content("../workflow/scripts/")
    if internals.on_cluster(workflow) or "SLURM_JOB_ID" in os.environ:
        adopt_servers()
    internals.hand_to_servers(_SHORT, PRELOAD)
    # Snakemake keeps all jobs to the end. To look among them for garbage after each 700 objects takes a fifth
    # of its time.
    gc.set_threshold(10_000_000, *gc.get_threshold()[1:])


def planned(workflow: Any, config: Entry, folder: str, locate: Beside) -> Plan:
    """Plan the runs of a configuration, or end with all that is wrong with it.

    `folder` is that of the Snakefile, and `locate` finds the benchmark's files. Snakemake hands its own path
    to jobs, also to those in an environment of their own, which so find attop and what a configuration names.
    """
    from snakemake.exceptions import WorkflowError

    try:
        for file in internals.configfiles(workflow):
            read_yaml(file)  # refuses a key that is there twice
        named = internals.configfiles(workflow, named=True)
        snakefile = locate("Snakefile") if os.path.isdir(folder) else None
        plan = Plan(load_config(with_places(config, named, snakefile, locate)))
    except ConfigError as error:
        raise WorkflowError(f"The configuration cannot be run:\n{error}") from None
    try:
        refuse(plan.lost_files())
    except ConfigError as error:
        raise WorkflowError(str(error)) from None
    return plan


def taken_over(workflow: Any, plan: Plan, logger: Any) -> TakeOver:
    """Take over results that this working directory does not remember, or end with why it cannot."""
    from snakemake.exceptions import WorkflowError

    if not internals.is_main(workflow):
        return TakeOver()
    taken = take_over(plan)
    if taken.line:
        logger.warning(taken.line)
    if taken.since is not None:
        since = taken.since
        internals.run_again(
            lambda job: runs_again(
                job.output, job.non_derived_params, job.input, since
            )
        )
    elif unknown := refusal(plan.config.output):
        raise WorkflowError(unknown)
    return taken


def hold_folder(
    output: str, attempts: int | None, taken: TakeOver, logger: Any
) -> None:
    """Keep others from the folder of results while this run lasts, or end with who writes there."""
    from snakemake.exceptions import WorkflowError

    if refused := lock_output(output, attempts, taken.since, logger.warning):
        raise WorkflowError(refused)
    jobs_begin()


def tell_of_jobs(workflow: Any, logger: Any, report: str, manifest: str) -> None:
    """Tell what ``--logger attop`` needs to know beforehand, as events tell of jobs one by one."""
    internals.start_without_limit(workflow)
    heed_termination()
    if reason := why_cold(PRELOAD, internals.installed_packages()):
        logger.warning(f"Each job imports for itself, for half a second: {reason}")
    if jobs := internals.jobs_to_do(workflow):
        event = {
            "event": "attop_todo",
            "jobs": jobs,
            "cores": internals.at_a_time(workflow),
            "report": report,
            "manifest": manifest,
            "configfiles": internals.configfiles(workflow, named=True),
        }
        logger.info(None, extra=event)


def any_of(names: Iterable[str]) -> str:
    """Write a wildcard constraint: exactly one of `names`, or nothing when there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"
