"""The manifest of a run: configuration, data, methods, environment."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime

import yaml
from threadpoolctl import threadpool_info

from attop.extending import Ints, derive_seed
from attop.statistics import likeness_within
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.data.splits.protocols import count_folds, make_folds
from attop_bench.files import JsonObject
from attop_bench.run.config import Config, DatasetConfig
from attop_bench.run.fingerprint import fingerprint, home_of
from attop_bench.run.job import WORK
from attop_bench.run.record import environment
from attop_bench.run.tables import SCHEMA_VERSION


def manifest(
    config: Config, datasets: Mapping[str, Dataset | Unavailable]
) -> JsonObject:
    """Collect everything that the report says apart from results, as JSON values."""
    return {
        "title": config.title,
        "finished": datetime.now(UTC).isoformat(sep=" ", timespec="minutes"),
        "seed": config.seed,
        "against": config.question.against if config.question else "",
        "config": yaml.safe_dump(
            config.model_dump(), sort_keys=False, allow_unicode=True
        ),
        "git": _git(),
        "environment": environment(),
        "blas": _libraries(),
        "schema_version": SCHEMA_VERSION,
        "datasets": {
            d.id: _describe_dataset(config, d.id, datasets[d.id])
            for d in config.datasets
        },
        "methods": {
            m.id: {
                "title": m.title or m.id,
                **m.model_dump(
                    include={"reference", "cite", "summary", "estimator", "params"}
                ),
                "grid": m.param_grid,
                "fingerprint": fingerprint([home_of(WORK), home_of(m.estimator)]),
                "n_candidates": config.drawn(m)
                or math.prod(map(len, m.param_grid.values())),
                **(
                    {"distributions": m.param_distributions}
                    if m.param_distributions
                    else {}
                ),
            }
            for m in config.methods
        },
    }


def _describe_dataset(
    config: Config, name: str, dataset: Dataset | Unavailable
) -> JsonObject:
    data = config.dataset(name)
    description: JsonObject
    if isinstance(dataset, Unavailable):
        description = {
            "name": name,
            "title": name,
            "unavailable": dataset.reason,
            "remedy": dataset.remedy,
        }
    else:
        description = {"title": name, **dataset.facts, **dataset.summary()}
        if dataset.entity is not None:
            description["design_effect"] = likeness_within(
                _test_parts(config, data, dataset), dataset.y, dataset.entity
            )
    sources = dict.fromkeys(
        file.urls[0] if file.urls else file.path for file in data.files.values()
    )
    return {
        **description,
        "title": data.title or description["title"],
        **{
            name: text
            for name in ("licence", "citation", "notes")
            if (text := getattr(data, name))
        },
        **({"source": ", ".join(sources)} if sources else {}),
        "protocol": data.protocol.model_dump(),
        "scaling": data.scaling,
        "tops": list(map(str, data.tops)),
        "scoring": data.scoring,
        "selection": data.selection,
        "select": config.select_of(name),
        "budget": config.budget.model_dump(exclude_none=True)
        if config.budget
        else {},
        "skip": data.skip,
        "seeds": _seeds(config, data, description["name"]),
    }


def _test_parts(
    config: Config, data: DatasetConfig, dataset: Dataset
) -> list[Ints]:
    """List the rows of each test part of a data set."""
    protocol = data.protocol
    return [
        fold.test
        for repeat in range(protocol.repeats)
        for fold in make_folds(
            protocol.kind, dataset, repeat, config.seed, **protocol.options
        )
    ]


def _seeds(config: Config, data: DatasetConfig, name: str) -> dict[str, int]:
    """Derive the seed of every repeat and fold, the same for every method."""
    folds = range(count_folds(data.protocol.kind, **data.protocol.options))
    return {
        f"repeat{repeat}-fold{fold}": derive_seed(config.seed, name, repeat, fold)
        for repeat in range(data.protocol.repeats)
        for fold in folds
    }


def _libraries() -> list[JsonObject]:
    """List the loaded libraries of linear algebra and threads, with their numbers of threads."""
    fields = (
        "user_api",
        "internal_api",
        "version",
        "architecture",
        "threading_layer",
        "num_threads",
    )
    return [{f: pool[f] for f in fields if f in pool} for pool in threadpool_info()]


def _git() -> JsonObject:
    """Read the commit, and whether files differ from it; empty outside a repository."""
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        )
        changes = subprocess.run(
            ["git", "status", "--porcelain"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {"commit": commit.stdout.strip(), "dirty": bool(changes.stdout.strip())}
