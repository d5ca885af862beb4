"""attop's benchmark: data -> training jobs -> evaluation -> report. See README.md and config/."""

import os

from snakemake.utils import min_version

min_version("9.23")

# Where this file is; its own folder also where it is a module of another workflow.
HERE = workflow.current_basedir.get_path_or_uri(secret_free=True)

# That of the working directory, else the one beside this file. A module has what `config:` gives it.
DEFAULTS = "config/config.yaml"
if not os.path.exists(DEFAULTS):
    DEFAULTS = f"{HERE}/{DEFAULTS}"


configfile: DEFAULTS


report: "workflow/report/workflow.rst"


# Jobs run in the environment Snakemake runs in, with attop installed; this says on what that can be built.
container: "docker://python:3.12"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/train.smk"
include: "rules/evaluate.smk"
include: "rules/report.smk"
include: "rules/paper.smk"


localrules:
    all,


# What a cluster's job was submitted with, it runs itself: without this, the plugin of SLURM starts a step and a
# Snakemake of its own for each job of a group, which takes longer than most of them.
if workflow.remote_exec:

    localrules:
        prepare,
        split,
        compile,
        train,
        evaluate,
        trace,


# Snakemake does not call `onstart` where attop is a module.
if workflow.is_main_process and not workflow.modifier.is_main_snakefile():
    if refused := hold(OUT):
        raise WorkflowError(refused)


onstart:
    if refused := hold(OUT):
        raise WorkflowError(refused)
    # For its limit of 100 starts a second, Snakemake looks at all jobs once more a second after each look, and after
    # that one too: 200 jobs into a run it looks 200 times a second. A limit of the user's own stays.
    limiter = workflow.scheduler.job_rate_limiter
    if limiter and (limiter.max_jobs, limiter.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    # What `--logger attop` needs to know beforehand: events tell of jobs one by one.
    logger.info(
        None,
        extra={
            "event": "attop_todo",
            "jobs": [
                (job.rule.name, dict(job.wildcards_dict))
                for job in workflow.dag.needrun_jobs()
            ],
            "cores": workflow.resource_settings.nodes
            or workflow.resource_settings.cores,
            "report": REPORT,
            "manifest": f"{OUT}/manifest.json",
            "configfiles": list(map(str, workflow.overwrite_configfiles)),
        },
    )


rule all:
    default_target: True
    input:
        REPORT,
        PAPER,
        # Named although the report needs them anyway: what is lost is made again.
        CHECKED,
        [f"{OUT}/data/compiled/{m.id}.json" for m in CONFIG.methods],
        PLAN.files(),
        [
            f"{OUT}/evaluation/{d.id}/{t}.parquet"
            for d in CONFIG.datasets
            for t in TABLES
        ],
    message:
        f"done: {REPORT}"
