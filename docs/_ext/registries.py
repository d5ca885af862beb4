"""``metric-table`` and ``surrogate-table``: what the registry and the classes say of themselves."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

from attop import surrogates
from attop.metrics import METRICS
from attop.metrics.metric import EXPECTED
from attop.surrogates import BoundSurrogate, Surrogate

#: What `bounds` of a surrogate names, as the risk it is.
RISKS = {None: "no metric", "AUC": "1 - AUC", "pAUC": "1 - pAUC", "pAp@k": "1 - pAp@k"}


def metric_rows() -> list[list[str]]:
    """One row a metric: name, definition, ties, undefined cases, range."""
    return [
        [
            f"`{m.name}`",
            m.definition,
            m.ties.replace(EXPECTED, "expectation"),
            m.edge_cases,
            f"{_bound(m.bounds[0])} to {_bound(m.bounds[1])}"
            + ("" if m.higher_is_better else ", lower is better"),
        ]
        for m in METRICS.values()
    ]


def surrogate_rows() -> list[list[str]]:
    """One row a surrogate: class, name, what it bounds, whether it is convex and smooth."""
    classes = [getattr(surrogates, name) for name in surrogates.__all__]
    return [
        [
            f"{{py:obj}}`~attop.surrogates.{c.__name__}`",
            f"`{c.name}`" if c.name else "",
            RISKS.get(c.bounds, c.bounds),
            "yes" if c.convex else "no",
            "yes" if c.smooth else "no",
        ]
        for c in classes
        if c not in (Surrogate, BoundSurrogate)
    ]


def _bound(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:g}"


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]


class _Table(Directive):
    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        parsed = nodes.Element()
        self.state.nested_parse(StringList(self.lines(), source="registries"), self.content_offset, parsed)
        return parsed.children


class MetricTable(_Table):
    """All metrics."""

    def lines(self) -> list[str]:
        """Write the table as Markdown."""
        return _markdown(["name", "definition", "ties", "undefined, or surprising", "range"], metric_rows())


class SurrogateTable(_Table):
    """All surrogates."""

    def lines(self) -> list[str]:
        """Write the table as Markdown."""
        return _markdown(["surrogate", "name", "an upper bound of", "convex", "smooth"], surrogate_rows())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("metric-table", MetricTable)
    app.add_directive("surrogate-table", SurrogateTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
