"""Held-out scores of a run as one Parquet file, which `attop rescore` reads.

    python -m studies.board.pack FILE RUN [RUN ...] [--configfile mine.yaml ...]
    attop rescore FILE --top 20 --metric ap

RUN is the output of config/suites/rare.yaml, or of it with the files of `--configfile`. Further runs, whose
`select` is another, add the rows of their selectors: `lightgbm by ap`. The file keeps the order of scores and
not their values: all that is measured at the top depends on the order alone, and ranks need half of the room.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from attop.extending import Floats, count_noun
from attop_bench.archives import exists
from attop_bench.data.base import Dataset, load_arrays, load_available
from attop_bench.files import replacing
from attop_bench.run.config import Config
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from studies.board.send import configuration

Orders = NDArray[np.unsignedinteger]

#: What the file has of each score, in its order.
_SORTED = ["dataset", "repeat", "fold", "row", "method", "top"]
#: How the columns that no dictionary helps are written.
_ENCODED = {"row": "DELTA_BINARY_PACKED", "score": "BYTE_STREAM_SPLIT"}
#: Of scores for every top.
ALL = "all"
MOST_BYTES = 40_000_000


def order_of(scores: Floats) -> Orders:
    """Return the place of each score from the lowest, 0; equal scores have the same."""
    levels, places = np.unique(scores, return_inverse=True)
    return places.astype(np.uint16 if len(levels) <= 1 << 16 else np.uint32)


def by_tops(scores: Floats, tops: Sequence[str]) -> Iterator[tuple[str, Orders]]:
    """Yield each different order among the scores of tops, with the tops it is for: `ALL`, or a list."""
    orders: dict[bytes, tuple[list[str], Orders]] = {}
    for top, of_top in zip(tops, scores, strict=True):
        order = order_of(of_top)
        orders.setdefault(order.tobytes(), ([], order))[0].append(top)
    for named, order in orders.values():
        yield ALL if len(named) == len(tops) else ", ".join(named), order


def _of_run(plan: Plan, run: Run, labels: NDArray[np.integer]) -> Iterator[pd.DataFrame]:
    record = Record.read(plan.record_path(run))
    if not record.ok:
        return
    select = record.tops[0].get("select", "")
    method = f"{run.method} by {select}" if select else run.method
    arrays, _ = load_arrays(plan.scores_path(run))
    tops = [str(top) for top in plan.config.dataset(run.dataset).tops]
    for top, order in by_tops(arrays["scores"], tops):
        of_run = {
            "dataset": run.dataset,
            "method": method,
            "repeat": run.repeat,
            "fold": run.fold,
            "top": top,
        }
        rows = arrays["test"].astype(np.uint32)
        yield pd.DataFrame({**of_run, "row": rows, "label": labels[arrays["test"]], "score": order})


def held_out(config: Config, packed: set[tuple[str, str]]) -> tuple[list[pd.DataFrame], int]:
    """Return the scores of a run by data set and method, and how many runs have none.

    `packed` are the data sets and methods that other runs gave; these are passed over, others are added.
    """
    plan, frames, missing, added = Plan(config), [], 0, set()
    for data in config.datasets:
        dataset = load_available(plan.stage_path(data.id))
        if not isinstance(dataset, Dataset):
            missing += sum(1 for _ in plan.runs(data.id))
            continue
        for run in plan.runs(data.id):
            of_run = list(_of_run(plan, run, dataset.y)) if exists(plan.record_path(run)) else []
            missing += not of_run
            new = [frame for frame in of_run if (data.id, frame["method"].iloc[0]) not in packed]
            added |= {(data.id, frame["method"].iloc[0]) for frame in new}
            frames += new
    packed |= added
    return frames, missing


def write(path: Path, frames: Sequence[pd.DataFrame]) -> None:
    """Write scores as Parquet: the methods of a row beside each other, a group of rows for each data set."""
    frame = pd.concat(frames, ignore_index=True).sort_values(_SORTED, kind="stable")
    frame = frame.astype({"repeat": np.uint8, "fold": np.uint8, "label": np.uint8})
    names = ["dataset", "method", "top"]
    schema = pa.Schema.from_pandas(frame.astype(dict.fromkeys(names, "category")), preserve_index=False)
    encoded: Mapping[str, str] = _ENCODED
    dictionaries = [name for name in frame if name not in encoded]
    options = {"use_dictionary": dictionaries, "column_encoding": encoded}
    with (
        replacing(path) as file,
        parquet.ParquetWriter(file, schema, compression="zstd", compression_level=19, **options) as writer,
    ):
        for _, rows in frame.groupby("dataset", sort=False):
            table = pa.Table.from_pandas(rows.astype(dict.fromkeys(names, "category")), preserve_index=False)
            writer.write_table(table.cast(schema), row_group_size=len(rows))


def pack(path: Path, configs: Sequence[Config]) -> str:
    """Write the scores of runs; return what was written in words.

    Raises
    ------
    ValueError
        If there are none, or the file is larger than 40 MB.
    """
    packed: set[tuple[str, str]] = set()
    frames, missing = [], 0
    for config in configs:
        of_run, without = held_out(config, packed)
        frames += of_run
        missing += without
    if not frames:
        raise ValueError(f"{configs[0].output}: no run has scores: run the benchmark first")
    write(path, frames)
    size, scores = path.stat().st_size, sum(map(len, frames))
    if size > MOST_BYTES:
        path.unlink()
        raise ValueError(
            f"{path} has {size:,} bytes, more than {MOST_BYTES:,}: leave out methods or data sets"
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    sets, methods = (len({one[place] for one in packed}) for place in (0, 1))
    what = f"{scores:,} scores of {count_noun(methods, 'method')} on {count_noun(sets, 'set')}"
    return (
        f"{path}: {what}, {size:,} bytes, {size / scores:.2f} a score; "
        f"{count_noun(missing, 'run')} without scores\nsha256 {digest}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("run", nargs="+")
    parser.add_argument("--configfile", nargs="+", default=[], help="of the runs, beside the suite's")
    options = parser.parse_args(arguments)
    print(pack(options.file, [configuration(run, *options.configfile) for run in options.run]))


if __name__ == "__main__":
    main()
