"""The card of a model: its use, expected hits, choice, data and versions."""

from __future__ import annotations

import hashlib
import io
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from attop.experiment import NextList, capacity, curve_interval, draw_capacity
from attop.extending import Top, count_noun, format_hits, pitfall
from attop.metrics import roc_points
from attop_bench.deploy.by_part import part_lines
from attop_bench.deploy.deploy import Deployed, precision_units, test_train_ratio
from attop_bench.deploy.package import CURVE, HARMLESS, MODEL, SAFE_MODEL, Package
from attop_bench.deploy.picture import draw_expectation
from attop_bench.deploy.promise import none_for_nan, sentence_of_groups
from attop_bench.deploy.trial import versions_of

#: Columns that differ most between list and rest.
_SHOWN = 6


def card(
    model: Deployed,
    folder: Path,
    untrusted: Sequence[str],
    titles: Mapping[str, str],
) -> str:
    """Write the card, in Markdown, of a model in a folder, with the types that skops does not trust."""
    parts = [
        [f"# {titles[model.method]} for {model.data.title or model.data.id}"],
        ["## What to expect", *_expectation(model)],
        ["## Use", *_use(model, folder, untrusted)],
        ["## Why these rows", *_why(model)],
        ["## How it was chosen", *_choice(model, titles)],
        ["## Data", *_data(model)],
        ["## Made with", *_made(model)],
    ]
    return "\n\n".join("\n\n".join(part) for part in parts) + "\n"


def expectation_sentence(model: Deployed) -> str:
    """State the positives to expect at the top of the next list, or of each group."""
    what, forecast = model.expectation, model.expectation.next
    if forecast is None:
        ends = none_for_nan(what.low), none_for_nan(what.high)
        return (
            f"{sentence_of_groups(model.top, what.mean, *ends)}{_lift(what.lift)}."
        )
    if forecast.reason:
        where = f"the {forecast.k:,} highest of {forecast.length:,} rows"
        why = f"{forecast.reason} ({pitfall('few-positives')})"
        return f"Of {where} no number of positives can be expected with an interval: {why}."
    return f"{forecast.sentence}{_lift(forecast.expected / forecast.k / model.dataset.y.mean())}."


def mean_sentence(model: Deployed) -> str:
    """State the mean of the test parts, which is what a report says the method finds."""
    what, forecast = model.expectation, model.expectation.next
    parts = f"the mean of {count_noun(what.parts, 'test part')} whose rows no model was trained or tuned on"
    if forecast is None:
        return f"Precision at the top ({model.top}) is {what.mean:.4f}: {parts}."
    hits = f"{format_hits(what.mean * forecast.k, forecast.k)} of {forecast.k:,}{_lift(what.lift)}"
    return f"Found were {hits}: precision at the top ({model.top}) {what.mean:.4f}, {parts}."


def warning_if_perfect(model: Deployed) -> str:
    """Warn of a model that puts all positives above all negatives in each test part; empty if it does not."""
    if not model.expectation.held_out:
        return ""
    for part in model.expectation.held_out[0]:
        positive = part.y_true == 1
        if positive.all() or not positive.any():
            return ""
        if part.y_score[positive].min() <= part.y_score[~positive].max():
            return ""
    return (
        "WARNING: in every test part all positives stand above all negatives. Real data seldom allow that: "
        "look for a column that holds the answer, such as a date of closing or another model's score "
        f"({pitfall('leak')})."
    )


def _lift(times: float) -> str:
    return f", {times:.2g} times chance"


def draw_curve(model: Deployed) -> bytes | None:
    """Draw the picture of a list as long as the data, as PNG.

    Where no number can be expected it is the curve of hits of the test parts; None with groups.
    """
    dataset, forecast = model.dataset, model.expectation.next
    if forecast is None:
        return None
    if not forecast.reason:
        return draw_expectation(
            forecast, model.data.title or model.data.id, float(dataset.y.mean())
        )
    return _draw_test_parts(model, forecast)


def _draw_test_parts(model: Deployed, forecast: NextList) -> bytes:
    """Draw the curve of hits of the test parts, scaled to a list, as PNG."""
    from matplotlib.figure import Figure

    dataset, records = model.dataset, model.tried[0].records
    points = [roc_points(dataset.y[o.test], o.scores[0]) for o in records]
    runs = np.array([capacity(roc, model.top) for roc in points])
    units = precision_units(dataset, model.top, records)
    band = curve_interval(runs, test_train_ratio(records), units=units)
    n_pos = round(dataset.y.mean() * forecast.length)
    canvas = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = canvas.subplots()
    axes.set_title(
        f"Positives found, scaled to a list of {forecast.length:,} rows",
        loc="left",
        pad=18,
    )
    draw_capacity(
        axes,
        {model.method: runs},
        forecast.k,
        forecast.length,
        n_pos,
        bands={model.method: band},
    )
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


def _expectation(model: Deployed) -> Iterator[str]:
    what, forecast = model.expectation, model.expectation.next
    if warning := warning_if_perfect(model):
        yield f"**{warning}**"
    yield expectation_sentence(model)
    noted = "" if forecast is None or math.isnan(what.low) else "[^mean]"
    tied = (
        ""
        if math.isnan(what.tied)
        else f" Ties decide {what.tied:.1%} of the places."
    )
    yield f"{mean_sentence(model)}{noted}{tied}"
    if forecast is not None and not forecast.reason:
        yield from _less_than_found(model, forecast)
    if forecast is not None and not math.isnan(model.stays):
        yield (
            f"Trained again with a fifth of its rows exchanged, it keeps {model.stays:.0%} of a list: expect "
            f"{format_hits(model.stays * forecast.k, forecast.k)} of these {forecast.k:,} again."
        )
    if model.parts is not None:
        yield "\n".join(part_lines(model.parts))
    yield "All of it holds for rows like these: it does not allow for changes over time."
    if noted:
        yield (
            f"[^mean]: The report's 95% interval, {what.low:.4f} to {what.high:.4f}, goes by how the test "
            "parts differ, which are few. What to expect goes by their rows."
        )
    if forecast is not None:
        yield f"![Hits among the first k rows against k, up to three times the budget]({CURVE})"


def _less_than_found(model: Deployed, forecast: NextList) -> Iterator[str]:
    """Say why another number is expected than was found."""
    hits = model.expectation.mean * forecast.k
    apart = forecast.expected - hits
    k = forecast.k
    direction = "fewer" if apart < 0 else "more"
    words = f"{format_hits(abs(apart), k)} {direction} than were found are expected"
    if len(model.tried) > 1:
        choice = f"the choice among {len(model.tried)} methods"
        words += f"; {format_hits(forecast.optimism, k)} are deducted for {choice}"
    yield f"{words}. Few rows near the top leave open how many of the next ones are positive."


def _use(model: Deployed, folder: Path, untrusted: Sequence[str]) -> Iterator[str]:
    kind, top = next(iter(model.top.as_dict())), Top.of(model.package.notes["top"])
    text = {"k": f"k={top.k}", "tau": shlex.quote(str(top)), "kappa": f"'{top}'"}[
        kind
    ]
    yield f"```bash\nattop score {folder} new.csv --top {text}\n```"
    yield "or in Python:"
    yield f"```python\n{_python(model.package)}\n```"
    yield (
        f"It reads {count_noun(len(model.package.notes['features']), 'column')}, text and missing values as "
        "in the file; other columns are ignored. A category it has never seen counts as a rare one, or as "
        "none. "
        f"Loading `{MODEL}` runs the code it holds: load it only from a source you trust. "
        + (
            f"`{SAFE_MODEL}` holds no code: `skops.io.load('{SAFE_MODEL}', trusted={HARMLESS})`."
            if not untrusted
            else f"There is no `{SAFE_MODEL}` ({', '.join(untrusted)})."
        )
    )


def _python(package: Package) -> str:
    """Write Python code that scores a file like the data."""
    return (
        "from attop_bench.deploy.package import read_package\n\n"
        f'scores = read_package(".").rank("new.{package.notes["format"]}")["score"]'
    )


def _why(model: Deployed) -> Iterator[str]:
    alone, n_rows, listed = (
        model.alone,
        len(model.ranked),
        len(model.package.head(model.ranked)),
    )
    chance = 2 * math.sqrt(1 / listed + 1 / max(n_rows - listed, 1))
    yield (
        f"The {listed:,} rows at the top of `ranked.csv` against the other {n_rows - listed:,}: mean or "
        "share, and the difference in standard deviations. Of columns that have nothing to do with the list, "
        f"95% differ by less than {chance:.2f}."
    )
    rows = []
    for one in model.differences[:_SHOWN]:
        a, b = (
            f"{v:.0%}" if one.is_share else f"{v:.4g}"
            for v in (one.listed, one.rest)
        )
        rows.append(f"| {one.what} | {a} | {b} | {one.standardised:+.2f} |")
    yield "\n".join(
        ["| column | list | rest | difference |", "|---|---:|---:|---:|", *rows]
    )
    sure = (
        ""
        if alone.low > 0
        else ": it is not shown that the model finds more than this column"
    )
    within = (
        ""
        if math.isnan(alone.low)
        else f" (95% interval {alone.low:+.3f} to {alone.high:+.3f})"
    )
    yield (
        f"One column alone, chosen on each training part, mostly {alone.order}, has precision "
        f"{alone.mean:.3f} on the same test parts. The model's differs by "
        f"{alone.difference:+.3f}{within}{sure}."
    )
    if "why" in model.ranked:
        yield (
            "`why` in `ranked.csv` and the lists of `attop score` names the three columns that move a row's "
            "score furthest from the mean row's, their values, and by how much they move it: log-odds where "
            "it is a probability. All columns together make up the difference."
        )
    else:
        yield (
            "What each column adds is left out: this model does not say it exactly. A list of `attop score` "
            "has the values of the first columns instead, or of those that `--columns` names."
        )


def _choice(model: Deployed, titles: Mapping[str, str]) -> Iterator[str]:
    data = model.data
    rows = [
        f"| {titles[t.method]} | {'failed: ' + t.error if t.error else f'{t.value:.4f}'} |"
        for t in model.tried
    ]
    yield "\n".join(
        [f"| method | {data.scoring}, mean of the test parts |", "|---|---|", *rows]
    )
    options = ", ".join(
        f"{name} {value}" for name, value in data.protocol.options.items()
    )
    members = [
        (times, ", ".join(f"`{name}={value}`" for name, value in one.items()))
        for one, times in model.members
    ]
    candidate = members[0][1] or "none to choose"
    if len(members) > 1:
        counted = "; ".join(f"{one} ({times})" for times, one in members)
        candidate = f"mean of the scores of {len(members)}, in brackets how often each counts: {counted}"
    yield (
        f"Protocol `{data.protocol.kind}`{f' ({options})' if options else ''}; each method tuned on inner "
        f"parts of each training part. Candidate of the final model, chosen on the same test parts: "
        f"{candidate}. Scaling `{data.scaling}`. Medians, categories and scale are learnt from training "
        f"rows alone. The final model is fitted on {model.fitted_rows}."
    )


def _data(model: Deployed) -> Iterator[str]:
    dataset = model.dataset
    source = dataset.facts.get("source", dataset.name)
    path = Path(str(source))
    digest = (
        hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    )
    yield "\n".join(
        [
            f"- source: {source}" + (f" (sha256 {digest})" if digest else ""),
            f"- rows: {len(dataset.y):,}, of which {dataset.n_pos:,} ({dataset.y.mean():.2%}) are positive: "
            f"{dataset.facts.get('positive', 'see the data set')}",
            *(
                f"- rows {name}: {rows}"
                for name, rows in (dataset.ledger.lines() if dataset.ledger else ())
            ),
            *(
                f"- {name}: {dataset.facts[name]}"
                for name in ("labels", "weights")
                if name in dataset.facts
            ),
            f"- columns: {', '.join(model.package.notes['features'])}",
            *([f"- licence: {model.data.licence}"] if model.data.licence else []),
        ]
    )


def _made(model: Deployed) -> Iterator[str]:
    numbers = versions_of(model.package.pipeline)
    python = numbers.pop("python")
    versions = ", ".join(f"{name} {number}" for name, number in numbers.items())
    yield f"{datetime.now(UTC).date().isoformat()}, Python {python}, {versions}."
