"""A page for each estimator, written beside `reference/estimators.rst`, and ``.. estimator-table::``.

The pages are made anew at each build; git does not keep them.
"""

from inspect import cleandoc, signature
from pathlib import Path
from typing import Any

from layers import ROUTING, _Generated
from sklearn.utils import get_tags
from sphinx.application import Sphinx

from attop import estimators

#: Learners that accept groups and have one top for all; tests/docs tries each.
ONE_LIST = {"AATP", "PNormPush"}

#: What a reader may need of a learner, in the order of the columns.
ABILITIES = ("groups", "weights", "sparse", "batches")


def abilities(name: str) -> dict[str, bool]:
    """What an estimator takes, as its signature and its tags say it."""
    estimator = getattr(estimators, name)
    fit = signature(estimator.fit).parameters
    return {
        "groups": name not in ONE_LIST,
        "weights": "sample_weight" in fit,
        "sparse": get_tags(estimator()).input_tags.sparse,
        "batches": hasattr(estimator, "partial_fit"),
    }


def learners() -> list[str]:
    """Names of the exported estimators, but for the class they have in common."""
    return sorted(
        (n for n in estimators.__all__ if isinstance(value := getattr(estimators, n), type) and _made(value)),
        key=str.lower,
    )


def _made(value: type) -> bool:
    return (
        hasattr(value, "fit")
        and value is not estimators.Ranker
        and all(
            p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
            for p in signature(value).parameters.values()
        )
    )


def _summary(name: str) -> str:
    paragraph = cleandoc(getattr(estimators, name).__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def _row(cells: list[str]) -> list[str]:
    return [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(cells)]


def _yes(able: bool) -> str:
    return "yes" if able else "no"


class EstimatorTable(_Generated):
    """All learners, a row each."""

    required_arguments = 0

    def lines(self) -> list[str]:
        """Write the table as reStructuredText."""
        rows = [_row(["", "", *ABILITIES])]
        for name in learners():
            rows.append(
                _row(
                    [
                        f":py:obj:`~attop.estimators.{name}`",
                        _summary(name),
                        *map(_yes, abilities(name).values()),
                    ]
                )
            )
        head = [".. list-table::", "   :header-rows: 1", "   :widths: 20 48 8 8 8 8", ""]
        return [*head, *(line for row in rows for line in row), ""]


def write_pages(app: Sphinx) -> None:
    """Write the pages; those that did not change keep their time."""
    folder = Path(app.srcdir) / "reference" / "estimators"
    folder.mkdir(exist_ok=True)
    wanted = {f"{name.lower()}.rst": _page(name) for name in learners()}
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for file, text in wanted.items():
        path = folder / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _page(name: str) -> str:
    able = abilities(name)
    table = [
        ".. list-table::",
        "   :header-rows: 1",
        "",
        *_row(["a top in each group", "sample weights", "sparse features", "learns batch by batch"]),
        *_row([_yes(able[key]) for key in ABILITIES]),
    ]
    body = [
        f".. autoclass:: attop.estimators.{name}",
        "   :members:",
        "   :inherited-members: BaseEstimator, ClassifierMixin",
        f"   :exclude-members: {ROUTING}, get_params, set_params, get_metadata_routing",
        "   :show-inheritance:",
    ]
    return "\n".join([name, "=" * len(name), "", *table, "", *body, ""])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the writing of pages."""
    app.add_directive("estimator-table", EstimatorTable)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
