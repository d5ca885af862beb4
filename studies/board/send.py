"""The board's splits, predictions of any classifier on them, and its row beside those published.

    python -m studies.board.send splits RUN splits.csv.gz
    python -m studies.board.send predict RUN package.Class NAME predictions.parquet [--sets SET ...]
    python -m studies.board.send tuned RUN METHOD NAME predictions.parquet [--sets SET ...]
    attop rescore predictions.parquet --output scored
    python -m studies.board.send row scored FOLDER

RUN is the output of config/suites/rare.yaml. `tuned` takes the scores of a method that was run there, one for
each top. The others need data and folds alone:

    snakemake --cores 4 --configfile config/suites/rare.yaml --until split

Foundation models take part by `predict`, where their weights are: tabpfn.TabPFNClassifier,
tabicl.TabICLClassifier.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

from attop.experiment import Fold
from attop.metrics import scores_of
from attop_bench.data.base import Dataset, load_arrays, load_available
from attop_bench.files import read_json, write_parquet
from attop_bench.papers.page import write_findings, write_tables
from attop_bench.run.config import Config, load_config, read_yaml
from attop_bench.run.fitting import import_estimator
from attop_bench.run.folds import read_folds
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.tables import read_tables
from studies import board
from studies.board import CONFIGURATION, findings


def configuration(run: str, *files: str) -> Config:
    """Return the board's configuration with the keys of further files, for the results in a folder."""
    keys = read_yaml("config/config.yaml") | read_yaml(CONFIGURATION)
    for file in files:
        keys |= read_yaml(file)
    return load_config({**keys, "output": run})


def _parts(config: Config, sets: Sequence[str] = ()) -> Iterator[tuple[str, int, Dataset, list[Fold]]]:
    """Yield set, repeat, data and folds; a set that is unavailable is left out."""
    plan = Plan(config)
    for data in config.datasets:
        dataset = load_available(plan.stage_path(data.id)) if not sets or data.id in sets else None
        if isinstance(dataset, Dataset):
            for repeat in range(data.protocol.repeats):
                path = plan.folds_path(data.id, repeat)
                yield data.id, repeat, dataset, read_folds(path, dataset, config.split(data.id, repeat))


def splits(config: Config) -> pd.DataFrame:
    """Return a row for each set and repeat: one character a row of the set, the fold that tests it.

    ``-`` is a row that no fold tests. But for fraud-stream, which goes forward in time, all other rows train.
    """
    found = []
    for name, repeat, dataset, folds in _parts(config):
        tested = np.full(len(dataset.y), "-")
        for number, fold in enumerate(folds):
            tested[fold.test] = str(number)
        found.append({"set": name, "repeat": repeat, "rows": len(tested), "tested_in": "".join(tested)})
    return pd.DataFrame(found)


def predictions(config: Config, estimator: str, method: str, sets: Sequence[str] = ()) -> pd.DataFrame:
    """Fit a class on the training rows of every fold, as it is, and score the test rows.

    Returns
    -------
    DataFrame
        Columns that `attop rescore` reads.
    """
    model = import_estimator(estimator)()
    found = []
    for name, repeat, dataset, folds in _parts(config, sets):
        for number, fold in enumerate(folds):
            fitted = clone(model).fit(dataset.matrix[fold.train], dataset.y[fold.train])
            run = {"dataset": name, "method": method, "repeat": repeat, "fold": number, "row": fold.test}
            scores = scores_of(fitted, dataset.matrix[fold.test])
            found.append(pd.DataFrame({**run, "label": dataset.y[fold.test], "score": scores}))
    return pd.concat(found, ignore_index=True)


def tuned(config: Config, method: str, name: str, sets: Sequence[str] = ()) -> pd.DataFrame:
    """Return the test scores that a run has stored of a method, those of each top, to be sent as `name`.

    Raises
    ------
    FileNotFoundError
        If a fold of a set has no scores.
    """
    plan, found = Plan(config), []
    for data, repeat, dataset, folds in _parts(config, sets):
        for number in range(len(folds)):
            arrays, _ = load_arrays(plan.scores_path(Run(data, method, repeat, number)))
            run = {"dataset": data, "method": name, "repeat": repeat, "fold": number, "row": arrays["test"]}
            for top, scores in zip(config.dataset(data).tops, arrays["scores"], strict=True):
                its = {"label": dataset.y[arrays["test"]], "score": scores, "top": str(top)}
                found.append(pd.DataFrame({**run, **its}))
    return pd.concat(found, ignore_index=True)


def row(scored: Path, folder: Path) -> None:
    """Write the board's page with the methods of ``attop rescore`` beside those published.

    Raises
    ------
    ValueError
        If they were tested on other parts, or a method has the name of one on the board.
    """
    tables, story = read_tables([scored / "tables"]), read_json(scored / "manifest.json")
    if twice := set(story["methods"]).intersection(pd.read_csv(board.FOLDER / "values.csv")):
        raise ValueError(f"{scored}: {twice.pop()!r} is on the board: give your method another name")
    made = board.tables(tables, story)
    write_tables(made, folder)
    write_findings(findings(made), folder, "studies.board")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, names in (
        ("splits", ["run", "file"]),
        ("predict", ["run", "estimator", "name", "file"]),
        ("tuned", ["run", "method", "name", "file"]),
        ("row", ["scored", "folder"]),
    ):
        command = commands.add_parser(name)
        for argument in names:
            command.add_argument(argument)
    for name in ("predict", "tuned"):
        commands.choices[name].add_argument("--sets", nargs="+", default=[])
    options = parser.parse_args(arguments)
    if options.command == "row":
        return row(Path(options.scored), Path(options.folder))
    config = configuration(options.run)
    if options.command == "splits":
        return splits(config).to_csv(options.file, index=False, compression={"method": "gzip", "mtime": 0})
    if options.command == "tuned":
        found = tuned(config, options.method, options.name, options.sets)
    else:
        found = predictions(config, options.estimator, options.name, options.sets)
    return write_parquet(options.file, found)


if __name__ == "__main__":
    main()
