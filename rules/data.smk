# The files lie in the cache, which results of other runs share: the receipt stands for them here. That of a
# failure counts as done, so that the rest of the run goes on; the next run tries again. Where all are of failures,
# `prepare` and `split` refuse to go on. Downloads need the network, which the nodes of a cluster often lack.
rule fetch:
    output:
        noted(f"{OUT}/data/{{dataset}}/fetch.json"),
    log:
        f"{LOGS}/data/{{dataset}}/fetch.log",
    wildcard_constraints:
        dataset=any_of(PLAN.with_files()),
    # Before all else: a run without any data ends here.
    priority: 5
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **needs("fetch"),
    params:
        **INPUTS.fetch(),
    message:
        "files of {wildcards.dataset}"
    script:
        "../workflow/scripts/fetch.py"


rule prepare:
    input:
        lambda w: PLAN.stage_inputs(w.dataset, w.stage),
    output:
        noted(f"{OUT}/data/{{dataset}}/{{stage}}.npz"),
    log:
        f"{LOGS}/data/{{dataset}}/{{stage}}.log",
    wildcard_constraints:
        stage=any_of(stage for d in CONFIG.datasets for stage in PLAN.stages(d.id)),
    priority: 3
    localrule: CLUSTER_JOB
    conda:
        "../envs/data.yaml"
    resources:
        **needs("prepare"),
    params:
        **INPUTS.prepare(),
    message:
        "prepare {wildcards.dataset}: {wildcards.stage}"
    script:
        "../workflow/scripts/prepare.py"


# Refuses tops that no fold can have, so that this shows before the first training job.
rule split:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
    output:
        noted(f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz"),
    log:
        f"{LOGS}/data/{{dataset}}/folds/repeat{{repeat}}.log",
    priority: 3
    localrule: CLUSTER_JOB
    conda:
        "../envs/data.yaml"
    resources:
        **needs("split"),
    params:
        **INPUTS.split(),
    message:
        "folds of {wildcards.dataset}, repeat {wildcards.repeat}"
    script:
        "../workflow/scripts/split.py"
