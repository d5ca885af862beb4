"""Two finished runs side by side: `attop compare-runs`."""

from __future__ import annotations

import difflib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from attop.extending import columns, count_noun, format_fixed
from attop_bench.files import Entry, read_json
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.compute.tables import Tables
from attop_bench.run.config import ConfigError

_KEY = ["dataset", "metric", "top", "method"]
#: A mean that moves by at most this much counts as the same; most lines of a part.
_LITTLE, _MOST = 0.01, 20

#: Manifest and tables of two runs.
Runs = tuple[tuple[Entry, Tables], tuple[Entry, Tables]]


def add_compare_runs(parser: ArgumentParser) -> None:
    """Add the options of ``attop compare-runs``."""
    parser.add_argument(
        "before",
        type=Path,
        metavar="BEFORE",
        help="output folder of a finished run; alone, a folder of them",
    )
    parser.add_argument(
        "after",
        type=Path,
        nargs="?",
        metavar="AFTER",
        help="output folder of another run",
    )


def run_compare_runs(options: Namespace) -> int:
    """List the changes between two finished runs: configuration, values, verdicts.

    Of one folder alone, list the finished runs that lie in it, the oldest first, with their sentences.
    """
    one = options.before
    other = options.after
    print("\n".join(history(one) if other is None else list_changes(one, other)))
    return 0


def history(folder: Path) -> list[str]:
    """List the finished runs below a folder, the oldest first: end, folder, commit and sentence."""
    rows = []
    for path in folder.rglob("manifest.json"):
        manifest = read_json(path)
        if "finished" in manifest:
            commit = (manifest.get("git") or {}).get("commit", "")[:7]
            rows.append(
                (
                    manifest["finished"],
                    str(path.parent),
                    commit,
                    manifest.get("headline", ""),
                )
            )
    if not rows:
        raise ConfigError(
            f"{folder} holds no finished run; give a folder with output folders of runs"
        )
    return columns(sorted(rows)).splitlines()


def list_changes(before: Path, after: Path) -> Iterator[str]:
    """Yield the lines of a comparison: each part has at most 20, the largest changes first."""
    runs = (_read(before), _read(after))
    yield from _part("Configuration", _changed_lines(runs), "the same")
    means = [
        tables["evaluation"].groupby(_KEY)["value"].mean() for _, tables in runs
    ]
    both = pd.concat(means, axis=1, join="inner", keys=["before", "after"]).dropna()
    yield from _part(
        "Values",
        _changed_values(both),
        f"none of {len(both):,} moved by more than {_LITTLE}",
    )
    yield from _values_of_one_run(*means)
    yield from _part("Verdicts of the best", _changed_verdicts(runs), "the same")


def _changed_lines(runs: Runs) -> list[str]:
    """List the lines of the configurations that only one of two runs has."""
    one, other = (
        str(manifest.get("config", "")).splitlines() for manifest, _ in runs
    )
    return [line for line in difflib.ndiff(one, other) if line[0] in "+-"]


def _changed_values(both: pd.DataFrame) -> list[str]:
    """List the means that moved, with their values before and after, the largest change first."""
    change = (both["after"] - both["before"]).sort_values(key=abs, ascending=False)
    moved = both.loc[change.index[change.abs() > _LITTLE]]
    cells = [
        (*map(str, key), format_fixed(before), format_fixed(after))
        for key, before, after in zip(
            moved.index, moved["before"], moved["after"], strict=True
        )
    ]
    return columns(cells).splitlines()


def _values_of_one_run(before: pd.Series, after: pd.Series) -> Iterator[str]:
    """Yield how many values each of two runs has that the other lacks."""
    for name, values, others in (
        ("before", before, after),
        ("after", after, before),
    ):
        alone = len(values.index.difference(others.index))
        if alone:
            yield f"  {count_noun(alone, 'value')} {name} alone"


def _changed_verdicts(runs: Runs) -> list[str]:
    """List the best models and their verdicts where these differ between two runs."""
    first, second = (_verdicts(manifest, tables) for manifest, tables in runs)
    common = first.keys() & second.keys()
    rows = [
        (*key, first[key], second[key])
        for key in common
        if first[key] != second[key]
    ]
    return columns(sorted(rows)).splitlines()


def _verdicts(manifest: Entry, tables: Tables) -> dict[tuple[str, ...], str]:
    """Judge the best model of each data set, metric and top."""
    judged = judge_all(
        tables["evaluation"], tables["runs"], manifest.get("datasets")
    )
    return {
        key: f"{judged_top.best} {judged_top.verdict}"
        for key, judged_top in judged.items()
        if judged_top.best
    }


def _read(folder: Path) -> tuple[Entry, Tables]:
    """Read manifest and tables of a finished run."""
    try:
        manifest = read_json(folder / "manifest.json")
        names = ("evaluation", "runs")
        return manifest, {
            name: pd.read_parquet(folder / "tables" / f"{name}.parquet")
            for name in names
        }
    except OSError as error:
        raise ConfigError(
            f"{folder} holds no finished run: {error}; give the output folder of one"
        ) from None


def _part(title: str, lines: Iterable[str], nothing: str) -> Iterator[str]:
    entries = list(lines)
    yield f"{title}: {nothing}" if not entries else f"{title}:"
    yield from (f"  {line}" for line in entries[:_MOST])
    if len(entries) > _MOST:
        yield f"  and {len(entries) - _MOST} more"
