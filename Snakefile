"""attop's benchmark: data -> training jobs -> evaluation -> report. See README.md and config/."""

import os

from snakemake.utils import min_version

min_version("9.8")


# That of the working directory, else the one beside this file.
DEFAULTS = "config/config.yaml"
if not os.path.exists(DEFAULTS):
    DEFAULTS = f"{workflow.basedir}/{DEFAULTS}"


configfile: DEFAULTS


report: "workflow/report/workflow.rst"


# Satisfies the linter; without effect unless --software-deployment-method asks for it.
container: "docker://python:3.12"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/train.smk"
include: "rules/evaluate.smk"
include: "rules/report.smk"
include: "rules/paper.smk"


# What a rule's results depend on besides its input files must have been thought of.
for written in workflow.rules:
    if written.script and "code" not in written.params.keys():
        raise WorkflowError(
            f"rule {written.name} has no inputs: add it to attop.bench.inputs"
        )


localrules:
    all,


# What `--logger attop` needs to know beforehand: Snakemake's events tell of jobs one by one.
onstart:
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
        COMPILED,
        PLAN.files(),
        [
            f"{OUT}/evaluation/{d.id}/{t}.parquet"
            for d in CONFIG.datasets
            for t in TABLES
        ],
    message:
        "done: {REPORT}"
