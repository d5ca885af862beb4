def preparation(stage):
    """Path and parameters of a preparation stage, for the data sets that have it."""
    return {
        "input": lambda w: PLAN.stage_inputs(w.dataset, stage),
        "spec": lambda w: PLAN.preparation(w.dataset, stage),
        "only": one_of(PLAN.with_stage(stage)),
    }


SOURCE, UMAP, FACTORISE, DATASET = map(
    preparation, ["source", "umap", "factorise", "dataset"]
)


rule source:
    output:
        f"{OUT}/data/{{dataset}}/source.npz",
    log:
        f"{LOGS}/data/{{dataset}}/source.log",
    wildcard_constraints:
        dataset=SOURCE["only"],
    params:
        spec=SOURCE["spec"],
    message:
        "source of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule umap:
    input:
        UMAP["input"],
    output:
        f"{OUT}/data/{{dataset}}/umap.npz",
    log:
        f"{LOGS}/data/{{dataset}}/umap.log",
    wildcard_constraints:
        dataset=UMAP["only"],
    params:
        spec=UMAP["spec"],
    message:
        "UMAP of the items of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule factorise:
    input:
        FACTORISE["input"],
    output:
        f"{OUT}/data/{{dataset}}/factorise.npz",
    log:
        f"{LOGS}/data/{{dataset}}/factorise.log",
    wildcard_constraints:
        dataset=FACTORISE["only"],
    params:
        spec=FACTORISE["spec"],
    message:
        "matrix factorisation of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule dataset:
    input:
        DATASET["input"],
    output:
        f"{OUT}/data/{{dataset}}/dataset.npz",
    log:
        f"{LOGS}/data/{{dataset}}/dataset.log",
    params:
        spec=DATASET["spec"],
    message:
        "data set {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


# Everything that can be known to fail fails here, before the first training job.
rule check:
    input:
        [PLAN.stage_path(d.id) for d in CONFIG.datasets],
    output:
        CHECKED,
    log:
        f"{LOGS}/check.log",
    params:
        config=CONFIG.model_dump_json(exclude={"metrics", "title"}),
    message:
        "check of data and configuration"
    script:
        "../workflow/scripts/check.py"
