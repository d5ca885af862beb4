"""Tables of all claims, each share with its standard error.

    python -m studies.claims [--draws 1000] [--seed 0] [--jobs 2] [--only watch]

prints the tables, or those asked for, and puts each into simulated.csv as it is done. Numbers do not depend
on the jobs. A forecast takes a tenth of a second, so that there are 400 of a cell.
"""

from pathlib import Path

import pandas as pd

from attop_bench.files import write_csv
from studies.claims import entities, options, verdicts, watch
from studies.claims.shares import as_table, in_lines, simulate

#: Table -> simulation, its cells, and the most draws of one.
TABLES = {
    "entities": (entities.verdicts, entities.SIZES, 1000),
    "selection": (entities.selection, entities.KINDS, 1000),
    "forecast": (entities.forecast, entities.FORECASTS, 400),
    "watch": (watch.falls, watch.CELLS, 1000),
    "question": (verdicts.question, verdicts.QUESTIONS, 1000),
    "page": (verdicts.page, (2, 5), 1000),
    "false_alarms": (verdicts.false_alarms, verdicts.ALARMS, 1000),
}

PUBLISHED = Path(__file__).with_name("simulated.csv")


def publish(shares, path=PUBLISHED):
    """Put the rows of their tables in place of those there are, in the order of the tables."""
    table = as_table(shares)
    if path.exists():
        before = pd.read_csv(path)
        table = pd.concat([before[~before["table"].isin(table["table"])], table])
    write_csv(
        path, table.sort_values("table", key=lambda names: names.map(list(TABLES).index), kind="stable")
    )


def main():
    parser = options(__doc__, draws=1000, seed=0, jobs=2)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    args = parser.parse_args()
    found = []
    for name in args.only:
        simulation, cells, most = TABLES[name]
        drawn = min(args.draws, most)
        of_table = simulate([(simulation, cell) for cell in cells], drawn, args.seed, args.jobs)
        print(in_lines(of_table) + "\n", flush=True)
        publish(of_table)
        found += of_table
    broken = [one for one in found if not one.kept]
    print(f"{len(broken)} of {sum(bool(one.promise) for one in found)} promises are not kept.")


if __name__ == "__main__":
    main()
