"""The file beside a table with the sizes of its lists."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from attop.extending import count_noun
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import GROUPS, Table, sizes_of_lists, with_lists
from attop_bench.files import StrPath


def with_lists_beside(path: StrPath, table: Table) -> tuple[Table, str | None, list[str]]:
    """Return a table with the lists whose sizes are in a file beside it, the end of its name, and remarks.

    They are taken if the sizes add up to the rows; else the file is named.
    """
    for end in GROUPS:
        name = Path(f"{path}{end}").name
        if not os.path.isfile(f"{path}{end}") or "qid" in table.frame:
            continue
        try:
            sizes = sizes_of_lists(path, end)
        except DatasetError as error:
            return table, None, [f"{name} beside it: {error}"]
        lists, rows = count_noun(len(sizes), "list"), int(sizes.sum())
        if rows != len(table.frame):
            remark = f"{name} beside it has {lists} of {rows:,} rows, not {len(table.frame):,}: not used"
            return table, None, [remark]
        remark = f"{name} beside it has the sizes of {lists}: read as qid; or not: --reader groups="
        return replace(table, frame=with_lists(table.frame, sizes, table.where)), end, [remark]
    return table, None, []
