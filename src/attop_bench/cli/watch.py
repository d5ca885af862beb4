"""`attop watch`: past lists against the precision that was promised."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from attop.extending import check_share, pitfall
from attop_bench.cli.options import GATE, add_gate
from attop_bench.deploy.notes import read_notes
from attop_bench.deploy.watched import (
    Folder,
    read_folder,
    verdict_of,
    verdict_sentence,
)
from attop_bench.run.config import ConfigError

#: Verdicts that a gate may name.
STATES = ("worse", "cannot-tell")


def add_watch(parser: ArgumentParser) -> None:
    """Add the options of ``attop watch``."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        help="of lists by attop score, with a column of labels",
    )
    parser.add_argument(
        "--model",
        metavar="FOLDER",
        help="folder of the model that made them: what each was to hold, and how labels are written",
    )
    parser.add_argument(
        "--promised",
        type=float,
        metavar="0.4",
        help="precision to keep, of lists that come without a promise",
    )
    parser.add_argument(
        "--label", help="the column of the labels (default: the model's, or label)"
    )
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        help="of the labels, as for attop look (default: the model's, or 1)",
    )
    add_gate(parser, STATES)


def run_watch(options: Namespace) -> int:
    """Say whether lists keep their promised precision: as promised, worse, or cannot tell.

    Reads the CSV and Excel files of a folder in the order of the numbers in their names, and the promise
    that attop score wrote next to each. Rows count when their labels are there: write all labels of a list at
    once, for those that come early are seldom like the others. Rows that left or were drawn from below are
    not of the list. A list that cannot be read, or promises nothing, is named, and the others are judged.
    """
    if not Path(options.folder).is_dir():
        raise ConfigError(
            f"there is no folder {options.folder}: give one with lists by attop score"
        )
    label = (
        read_notes(options.model)["label"] if options.model else {"column": "label"}
    )
    how = {name: label[name] for name in ("positive", "values") if label.get(name)}
    if options.positive is not None:
        how = {"positive": options.positive, "values": None}
    if options.promised is not None:
        _check_promised(options.promised)
    lists = read_folder(
        options.folder, options.label or label["column"], how, options.promised
    )
    if not lists.judged:
        raise ConfigError(_nothing_to_judge(options.folder, lists))
    for line in lists.lines():
        print(line)
    print(verdict_sentence(lists.judged) + lists.counts)
    status = verdict_of(lists.judged).status.replace(" ", "-")
    if status == "worse":
        print(f"What to do: {pitfall('drift')}")
    return GATE if status in options.fail_on else 0


def _check_promised(share: float) -> None:
    try:
        check_share("--promised", share)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _nothing_to_judge(folder: str, lists: Folder) -> str:
    """Say that no list can be judged, and of each why."""
    return "\n".join(
        [f"{folder} holds no list (*.csv) that can be judged", *lists.lines()]
    )
