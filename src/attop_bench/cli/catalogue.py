"""The names a configuration may use."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from attop_bench.cli.configuration import identifier, read_catalogues, read_raw
from attop_bench.run.config import ConfigError

__all__ = ["show"]


def show(options: argparse.Namespace) -> int:
    """Print data sets or methods of the catalogue, those that are run marked, or metrics, one a line."""
    if options.what == "metrics":
        from attop.metrics import METRICS

        for name, metric in METRICS.items():
            print(f"{name:18} {metric.definition}")
        own = read_raw(options).get("custom_metrics") if options.configfile else None
        if not isinstance(own or {}, Mapping):
            raise ConfigError(f"custom_metrics must map names to entries with a path, got {own!r}")
        for name, entry in (own or {}).items():
            print(f"{name:18} {entry.get('path', '') if isinstance(entry, Mapping) else entry}")
        return 0
    raw = read_raw(options)
    catalogues = read_catalogues(raw)
    if options.what not in catalogues:
        raise ConfigError(f"catalogues: no file is named for {options.what}")
    chosen = {identifier(entry) for entry in raw.get(options.what) or ()}
    print(f"* is run{' by ' + ', '.join(options.configfile) if options.configfile else ' by default'}\n")
    for name, entry in catalogues[options.what].items():
        about = entry if isinstance(entry, Mapping) else {}
        said = [about.get("title", ""), about.get("summary", "")]
        print(f"{'*' if name in chosen else ' '} {name:26} {': '.join(filter(None, said))}")
    return 0
