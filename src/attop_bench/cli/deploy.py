"""A model to take away, and the list of new rows it makes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from attop.core.files import write_csv, write_text
from attop.core.top import Top
from attop_bench.cli.configuration import identifier, read_raw
from attop_bench.data import DatasetError
from attop_bench.deploy.card import card, expectation_sentence
from attop_bench.deploy.deploy import deploy
from attop_bench.deploy.package import read_package, write_package
from attop_bench.run.config import ConfigError, load_config

__all__ = ["score", "show"]


def show(options: argparse.Namespace) -> int:
    """Choose, fit on all rows, and write model, list and card."""
    raw = read_raw(options)
    for section, name in (("datasets", options.dataset), ("methods", options.method)):
        listed = raw.get(section)
        if name is not None and isinstance(listed, list) and name not in map(identifier, listed):
            raw[section] = [*listed, name]
    config = load_config(raw)
    skip = config.dataset(options.dataset).skip
    methods = [options.method] if options.method else [m.id for m in config.methods if m.id not in skip]
    folder = Path(options.output or f"deployed-{options.dataset}")
    try:
        found = deploy(config, options.dataset, methods, _top(options.top), n_jobs=options.jobs, tell=print)
    except DatasetError as error:
        raise ConfigError(str(error)) from None
    untrusted = write_package(folder, found.package)
    write_csv(folder / "ranked.csv", found.ranked)
    titles = {m.id: m.title or m.id for m in config.methods}
    write_text(folder / "card.md", card(found, folder, untrusted, titles))
    print(f"\n{expectation_sentence(found)}")
    print(f"Written to {folder}: " + ", ".join(sorted(file.name for file in folder.iterdir())))
    print(f"Score new rows: attop score {folder} new.csv")
    return 0


def score(options: argparse.Namespace) -> int:
    """Print or write the rows of a new file, ranked by a model."""
    try:
        package = read_package(options.model)
        ranked = package.rank(options.table)
        top = _top(options.top)
        ranked = ranked if options.all else package.head(ranked, top)
    except (DatasetError, ValueError) as error:
        raise ConfigError(str(error)) from None
    if options.output:
        write_csv(options.output, ranked)
        print(f"Written: {options.output}, {len(ranked):,} rows.")
    else:
        ranked.to_csv(sys.stdout, index=False)
    return 0


def _top(text: str | None) -> Top | None:
    if text is None:
        return None
    try:
        return Top.parse(text if "=" in text else f"k={text}")
    except ValueError as error:
        raise ConfigError(f"--top: {error}") from None
