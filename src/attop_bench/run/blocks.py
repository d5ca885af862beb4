"""Training jobs of more than one fold: what each is, and the files that it leaves.

Snakemake removes the outputs of a job that was killed, and before it is tried again. A job of many folds is
to keep those it had finished. So its output is a note alone, written when all its folds are done, which names
them with the digests of their files; these lie beside it, as those of jobs of one fold do.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attop_bench.files import StrPath, read_json

#: The files of a fold.
SCORES, RECORD = "scores.npz", "record.json"

#: Which folds were begun, and what they depend on: stands beside the note of their block.
BEGUN = ".begun"

#: Constraint of the wildcard `block`.
BLOCKS = r"all|block\d+-\d+"


def block_of(granularity: str | int, position: int) -> str:
    """Return the name of the block with the fold at a position, counted over all repeats of a data set.

    A block is ``all`` folds of a method, or as many as `granularity` says. Its name has that number, so that
    blocks of another size are others.
    """
    return "all" if isinstance(granularity, str) else f"block{granularity}-{position // granularity}"


def in_block(block: str, n: int) -> range:
    """Return the positions of the folds in a block, of `n` over all repeats of a data set."""
    if block == "all":
        return range(n)
    size, number = map(int, block.removeprefix("block").split("-"))
    return range(number * size, min((number + 1) * size, n))


def files_of(trained: Iterable[StrPath]) -> tuple[list[Path], list[Path]]:
    """Return the files of scores and the records that training jobs left, in the order of the folds.

    `trained` are outputs of rule train: the files themselves, or the notes that name them.
    """
    scores: list[Path] = []
    records: list[Path] = []
    for path in map(Path, trained):
        folders = [path.parent] if path.name in (SCORES, RECORD) else _noted(path)
        if path.name != RECORD:
            scores += [folder / SCORES for folder in folders]
        if path.name != SCORES:
            records += [folder / RECORD for folder in folders]
    return scores, records


def _noted(note: Path) -> list[Path]:
    """Return the folders of the folds that a note names."""
    return [note.parent / fold for fold in read_json(note)]
