"""Two finished runs side by side: `attop compare-runs`."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from attop.extending import columns, count_noun, format_fixed
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.compute.results import Entry
from attop_bench.run.config import ConfigError

_KEY = ["dataset", "metric", "top", "method"]
#: A mean that moved by no more is the same; most lines of a part.
_LITTLE, _MOST = 0.01, 20


def add_compare_runs(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop compare-runs``."""
    help_text = "output folder of a finished run; alone, a folder of them"
    parser.add_argument("before", type=Path, metavar="BEFORE", help=help_text)
    parser.add_argument("after", type=Path, nargs="?", metavar="AFTER", help="that of another")


def run_compare_runs(options: argparse.Namespace) -> int:
    """List the changes between two finished runs: configuration, values, verdicts.

    Of one folder alone, list the finished runs that lie in it, the oldest first, with their sentences.
    """
    one, other = options.before, options.after
    print("\n".join(history(one) if other is None else changes(one, other)))
    return 0


def history(folder: Path) -> list[str]:
    """Return a line a finished run below a folder: end, folder, and its sentence, the oldest first."""
    rows = []
    for path in folder.rglob("manifest.json"):
        story = json.loads(path.read_text(encoding="utf-8"))
        if "finished" in story:
            commit = (story.get("git") or {}).get("commit", "")[:7]
            rows.append((story["finished"], str(path.parent), commit, story.get("headline", "")))
    if not rows:
        raise ConfigError(f"{folder} holds no finished run; give a folder with output folders of runs")
    return columns(sorted(rows)).splitlines()


def changes(before: Path, after: Path) -> Iterator[str]:
    """Yield the lines of a comparison: each part has at most 20, the largest changes first."""
    (old, was), (new, now) = _read(before), _read(after)
    one, other = (str(story.get("config", "")).splitlines() for story in (old, new))
    different = [line for line in difflib.ndiff(one, other) if line[0] in "+-"]
    yield from _part("Configuration", different, "the same")

    means = [tables["evaluation"].groupby(_KEY)["value"].mean() for tables in (was, now)]
    both = pd.concat(means, axis=1, join="inner", keys=["before", "after"]).dropna()
    moved = (both["after"] - both["before"]).sort_values(key=abs, ascending=False)
    moved = moved[moved.abs() > _LITTLE]
    cells = [
        (*map(str, key), format_fixed(both.loc[key, "before"]), format_fixed(both.loc[key, "after"]))
        for key in moved.index
    ]
    yield from _part(
        "Values", columns(cells).splitlines(), f"none of {len(both):,} moved by more than {_LITTLE}"
    )
    for name, table, others in (("before", *means), ("after", *means[::-1])):
        if gone := len(table.index.difference(others.index)):
            yield f"  {count_noun(gone, 'value')} {name} alone"

    verdicts = []
    for story, tables in ((old, was), (new, now)):
        judged = judge_all(tables["evaluation"], tables["runs"], story.get("datasets"))
        verdicts.append(
            {
                key: f"{judgement.best} {judgement.verdict}"
                for key, judgement in judged.items()
                if judgement.best
            }
        )
    first, second = verdicts
    turned = [
        (*key, first[key], second[key]) for key in first.keys() & second.keys() if first[key] != second[key]
    ]
    yield from _part("Verdicts of the best", columns(sorted(turned)).splitlines(), "the same")


def _read(folder: Path) -> tuple[Entry, dict[str, pd.DataFrame]]:
    """Return manifest and tables of a run."""
    try:
        story = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        names = ("evaluation", "runs")
        return story, {name: pd.read_parquet(folder / "tables" / f"{name}.parquet") for name in names}
    except OSError as error:
        raise ConfigError(f"{folder} holds no finished run: {error}; give the output folder of one") from None


def _part(title: str, lines: Iterable[str], nothing: str) -> Iterator[str]:
    entries = list(lines)
    yield f"{title}: {nothing}" if not entries else f"{title}:"
    yield from (f"  {line}" for line in entries[:_MOST])
    if len(entries) > _MOST:
        yield f"  and {len(entries) - _MOST} more"
