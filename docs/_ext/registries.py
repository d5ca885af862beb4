"""Tables of the registries, and a page for each learner.

The pages of learners are written at each build; git does not keep them.
"""

import math
import re
from collections.abc import Iterable, Sequence
from inspect import cleandoc, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sklearn.utils import get_tags
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import attop
from attop import experiment, extending, from_papers, metrics, statistics, surrogates
from attop import learners as to_use
from attop.metrics import EXPECTED, METRICS
from attop.surrogates import BoundSurrogate, Surrogate


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
    """One row a surrogate: class, name, first line of its docstring, whether it is convex and smooth."""
    classes = [getattr(surrogates, name) for name in surrogates.__all__]
    return [
        [
            f"{{py:obj}}`~attop.surrogates.{c.__name__}`",
            f"`{c.name}`" if c.name else "",
            (c.__doc__ or "").split("\n", 1)[0],
            "yes" if c.convex else "no",
            "yes" if c.smooth else "no",
        ]
        for c in classes
        if c not in (Surrogate, BoundSurrogate)
    ]


def extending_rows() -> list[list[str]]:
    """One row a name that no other page of the reference has: its path, the first line of its docstring."""
    folder = Path(__file__).parents[1] / "reference"
    pages = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.rst"))
    elsewhere = {name for listed in _MEMBERS.findall(pages) for name in listed.replace(",", " ").split()}
    return [
        [f"`{package.__name__}.{name}`", _first_line(getattr(package, name))]
        for package in (experiment, metrics, statistics, extending)
        for name in package.__all__
        if package is extending or name not in elsewhere
    ]


def _first_line(thing: object) -> str:
    """Return the first line of the docstring of a function or class; a value has none of its own."""
    own = isinstance(thing, type) or hasattr(thing, "__wrapped__") or hasattr(thing, "__code__")
    return (thing.__doc__ or "").split("\n", 1)[0] if own else ""


#: Learners that accept groups and have one top for all; tests/docs tries each.
ONE_LIST = {"AATP", "PNormPush"}

#: The names that a page of the reference documents of a package.
_MEMBERS = re.compile(r"automodule:: attop\.\w+\n   :members: ((?:.+\n(?: {13})?)+)")

PAGE = """{name}
{line}

.. list-table::
   :header-rows: 1

   * - a top in each group
     - sample weights
     - sparse features
     - learns batch by batch
   * - {groups}
     - {weights}
     - {sparse}
     - {batches}

.. autoclass:: attop.{name}
   :inherited-members: BaseEstimator, ClassifierMixin
   :show-inheritance:
"""


def abilities(name: str) -> dict[str, str]:
    """What an estimator takes, as its signature and its tags say it: yes or no."""
    estimator = getattr(attop, name)
    able = {
        "groups": name not in ONE_LIST,
        "weights": "sample_weight" in signature(estimator.fit).parameters,
        "sparse": get_tags(estimator()).input_tags.sparse,
        "batches": hasattr(estimator, "partial_fit"),
    }
    return {key: "yes" if value else "no" for key, value in able.items()}


def learners(*packages: ModuleType) -> list[str]:
    """Names of the exported learners, but for their common class."""
    names = {
        name
        for package in packages or (to_use, from_papers)
        for name in package.__all__
        if hasattr(getattr(package, name), "predict")
    }
    return sorted(names - {"Ranker"}, key=str.lower)


def learner_table() -> list[str]:
    """Lines of the table of learners: it stands in the page itself, which is read outside the site too."""
    return _markdown(["learner", "for", "", "groups", "weights", "sparse", "batches"], learner_rows())


def learner_rows() -> list[list[str]]:
    """One row a learner, those to use first: name, purpose, summary, abilities."""
    purposes = {"use": learners(to_use), "a paper": learners(from_papers)}
    return [
        [
            f"`{name}`",
            purpose,
            " ".join(cleandoc(getattr(attop, name).__doc__ or "").split("\n\n")[0].split()),
            *abilities(name).values(),
        ]
        for purpose, names in purposes.items()
        for name in names
    ]


def write_pages(app: Sphinx) -> None:
    """Write the pages of estimators; those that did not change keep their time."""
    folder = Path(app.srcdir) / "reference" / "learners"
    folder.mkdir(exist_ok=True)
    wanted = {
        folder / f"{name.lower()}.rst": PAGE.format(name=name, line="=" * len(name), **abilities(name))
        for name in learners()
    }
    for path in set(folder.glob("*.rst")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _bound(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:g}"


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]


TABLES = {
    "metrics": (["name", "definition", "ties", "undefined, or surprising", "range"], metric_rows),
    "extending": (["name", "what it is"], extending_rows),
    "surrogates": (["surrogate", "name", "what it is", "convex", "smooth"], surrogate_rows),
}


class Table(SphinxDirective):
    """``registry-table``: a table of `TABLES`, in a page of Markdown."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the table."""
        header, rows = TABLES[self.arguments[0]]
        parsed = nodes.Element()
        lines = StringList(_markdown(header, rows()), source="registries")
        self.state.nested_parse(lines, self.content_offset, parsed)
        return parsed.children


def tidy(app: Sphinx, doctree: nodes.document) -> None:
    """Name attributes so; take back what is no link: the "shape" of a type, the address "prec@k"."""
    for name in doctree.findall(nodes.field_name):
        if name.astext() == "Variables":
            name.children = [nodes.Text("Attributes")]
    for link in list(doctree.findall(pending_xref)):
        if link.get("reftype") == "class" and not link["reftarget"].rpartition(".")[2][:1].isupper():
            link.replace_self(link.children)
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def skip_fields(app: Sphinx, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of named tuples: the class's docstring lists them."""
    return True if type(value).__name__ == "_tuplegetter" else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives and the writing of pages."""
    app.add_directive("registry-table", Table)
    app.connect("builder-inited", write_pages)
    app.connect("doctree-read", tidy)
    app.connect("autodoc-skip-member", skip_fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
