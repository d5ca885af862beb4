from snakemake.exceptions import WorkflowError

from attop.bench.config import ConfigError, load_config
from attop.bench.plan import Plan, Run

try:
    CONFIG = load_config(config, root=workflow.basedir)
except ConfigError as error:
    raise WorkflowError(f"The configuration cannot be run:\n{error}")

PLAN = Plan(CONFIG)
OUT = CONFIG.output
LOGS = f"{OUT}/logs"
CHECKED = f"{OUT}/data/checked.json"
COMPILED = f"{OUT}/data/compiled.json"
REPORT = f"{OUT}/report.html"


def one_of(names):
    """A wildcard constraint: exactly one of `names`, or nothing when there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=one_of(d.id for d in CONFIG.datasets),
    method=one_of(m.id for m in CONFIG.methods),
    repeat=r"\d+",
    fold=r"\d+",
