"""attop's benchmark, run from its folder: workflow/Snakefile."""


include: "workflow/Snakefile"


# The default of a file that is included is not that of the one that includes it.
rule whole:
    default_target: True
    input:
        rules.all.input,
    localrule: True
