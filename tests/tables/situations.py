"""The list of situations: what is odd about a table, how it is written, and what is right.

A report of a table that was read wrong becomes a line here first. `write` is made by a function of
`tables.writers`, the table is by default `base()`. Unless `same=False`, features and labels must be those of the
same table written plainly.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from tables.writers import text


@dataclass(frozen=True)
class S:
    """A situation."""

    what: str
    write: Callable[..., Any]
    frame: pd.DataFrame | None = None
    #: The same table, plainly written, must give these data, if any; by default `frame`.
    as_if: pd.DataFrame | None = None
    same: bool = True
    #: Arguments of `look`: label, positive, ...
    given: Mapping[str, Any] = field(default_factory=lambda: {"label": "y"})
    #: Column -> kind.
    kinds: Mapping[str, str] = field(default_factory=dict)
    #: The label and its positive value.
    label: tuple[str, object] | None = None
    #: Options of the reader that are proposed.
    reader: Mapping[str, object] | None = None
    #: Other parameters that are proposed, such as drop and entity.
    params: Mapping[str, object] = field(default_factory=dict)
    #: Patterns among what is said; and one of the refusal, if it is to be refused.
    says: tuple[str, ...] = ()
    refused: str = ""


SITUATIONS = [
    # --- separators
    S("commas", text()),
    S("semicolons", text(";"), reader={"separator": ";"}),
    S("tabs", text("\t"), reader={"separator": "tab"}),
]
