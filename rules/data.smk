# Downloads need the network, which the nodes of a cluster often lack; a check takes seconds.
localrules:
    fetch,
    check_methods,
    check,


# The files lie in the cache, which results of other runs share: the receipt stands for them here. That of a
# failure counts as done, so that the rest of the run goes on; the next run tries again. Where all are of failures,
# `prepare` and `check` refuse to go on.
rule fetch:
    output:
        f"{OUT}/data/{{dataset}}/fetch.json",
    log:
        f"{LOGS}/data/{{dataset}}/fetch.log",
    wildcard_constraints:
        dataset=any_of(PLAN.with_files()),
    # Before all else: a run without any data ends here.
    priority: 5
    conda:
        "../envs/data.yaml"
    resources:
        **needs(30),
    params:
        **INPUTS.fetch(),
        # A function of `resources` makes no finished job out of date: the same bytes from elsewhere are the same.
        sources=lambda w, resources: PLAN.sources(w.dataset),
    message:
        "files of {wildcards.dataset}"
    script:
        "../workflow/scripts/fetch.py"


rule prepare:
    input:
        lambda w: PLAN.stage_inputs(w.dataset, w.stage),
    output:
        f"{OUT}/data/{{dataset}}/{{stage}}.npz",
    log:
        f"{LOGS}/data/{{dataset}}/{{stage}}.log",
    wildcard_constraints:
        stage=any_of(stage for d in CONFIG.datasets for stage in PLAN.stages(d.id)),
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        **needs(30),
    params:
        **INPUTS.prepare(),
    message:
        "prepare {wildcards.dataset}: {wildcards.stage}"
    script:
        "../workflow/scripts/prepare.py"


rule split:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
    output:
        f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz",
    log:
        f"{LOGS}/data/{{dataset}}/folds/repeat{{repeat}}.log",
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        **needs(30),
    params:
        **INPUTS.split(),
    message:
        "folds of {wildcards.dataset}, repeat {wildcards.repeat}"
    script:
        "../workflow/scripts/split.py"


# Whatever can be checked in advance is checked here, so that errors show before the first training job. Training on a
# data set waits for no other: one may take long to fetch, or to prepare.
rule check_methods:
    output:
        CHECKED,
    log:
        f"{LOGS}/check.log",
    priority: 3
    conda:
        "../envs/train.yaml"
    resources:
        **needs(10),
    params:
        **INPUTS.check_methods(),
    message:
        "check of the methods"
    script:
        "../workflow/scripts/check_methods.py"


rule check:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        folds=lambda w: PLAN.folds_paths(w.dataset),
    output:
        f"{OUT}/data/{{dataset}}/checked.json",
    log:
        f"{LOGS}/data/{{dataset}}/check.log",
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        **needs(30),
    params:
        **INPUTS.check(),
    message:
        "check of {wildcards.dataset}"
    script:
        "../workflow/scripts/check.py"
