"""The option reference: the tables of ``config/README.md``, and a JSON schema of a configuration.

`python -m docs._ext.options` writes both, from the models and the strings below their fields.
"""

import ast
import inspect
import json
import typing
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from attop_bench.data.files.source import Source
from attop_bench.files import write_json, write_text
from attop_bench.run.options import (
    BudgetConfig,
    Config,
    DatasetConfig,
    ExpectConfig,
    LimitsConfig,
    MethodConfig,
    MetricConfig,
    ProtocolConfig,
    ResourcesConfig,
    fields_of,
)

_SECTIONS: tuple[tuple[str, type], ...] = (
    ("The whole", Config),
    ("An entry of `datasets`", DatasetConfig),
    ("`protocol` of a data set", ProtocolConfig),
    ("An entry of `files` of a data set", Source),
    ("`expect` of a data set", ExpectConfig),
    ("An entry of `methods`", MethodConfig),
    ("`resources` of a method", ResourcesConfig),
    ("`budget` of the run", BudgetConfig),
    ("An entry of `custom_metrics`", MetricConfig),
    ("`limits` of every training job, or of those of a method", LimitsConfig),
)
_CATALOGUES = "YAML files that define data sets and methods: {datasets: path, methods: path}."


@cache
def _describe() -> None:
    """Make the strings below fields their descriptions; pydantic's own way takes longer than all the rest."""
    for _, model in reversed(_SECTIONS):  # those within others first
        if issubclass(model, BaseModel):
            (tree,) = ast.parse(inspect.getsource(model)).body
            for field, text in pairwise(getattr(tree, "body", ())):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    words = ast.literal_eval(text.value).split()
                    model.model_fields[ast.unparse(field.target)].description = " ".join(words)
            model.model_rebuild(force=True)


def markdown(page: str) -> str:
    """Write the option reference: the beginning of a page, and its tables."""
    _describe()
    parts = [page.partition("\n## ")[0]]
    for title, model in _SECTIONS:
        rows = [_row(name, field) for name, field in fields_of(model).items()]
        if model is Config:
            rows.append(f"| `catalogues` | mapping | none | {_CATALOGUES} |")
        parts.append(f"## {title}\n\n| key | type | default | meaning |\n| --- | --- | --- | --- |")
        parts[-1] += "".join(f"\n{row}" for row in rows)
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def json_schema() -> dict[str, Any]:
    """Describe a configuration file as a JSON schema, for completion in editors."""
    _describe()
    schema = Config.model_json_schema()
    definitions = schema["$defs"]
    for section, name in (
        ("datasets", "DatasetConfig"),
        ("methods", "MethodConfig"),
    ):
        definitions[name]["required"] = ["id"]  # the catalogue may have the rest
        schema["properties"][section]["items"] = {"anyOf": [{"type": "string"}, {"$ref": f"#/$defs/{name}"}]}
    schema["properties"]["catalogues"] = {
        "type": "object",
        "description": _CATALOGUES,
        "properties": {
            "datasets": {"type": "string"},
            "methods": {"type": "string"},
        },
        "additionalProperties": False,
    }
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.loads(json.dumps(schema).replace("\\n", " "))


def _row(name: str, field: FieldInfo) -> str:
    if field.is_required():
        default = "required"
    elif isinstance(field.default, list) and field.default:
        default = "all"
    else:
        plain = isinstance(field.default, (str, int, float)) and field.default != ""
        default = f"`{field.default}`" if plain else "none"
    return f"| `{name}` | {_type(field.annotation)} | {default} | {field.description or ''} |"


def _type(annotation: Any) -> str:
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type(arguments[0])
    if origin is typing.Literal:
        return " or ".join(f"`{a}`" for a in arguments)
    if origin in (Union, UnionType):
        return " or ".join(_type(a) for a in arguments if a is not NoneType)
    if origin is tuple:
        return f"list of {len(arguments)} {_type(arguments[0])}s"
    if origin is list:
        return f"list of {_type(arguments[0])}"
    if origin is dict or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return "mapping"
    return {
        str: "text",
        int: "integer",
        float: "number",
        bool: "true or false",
    }.get(annotation, "any")


if __name__ == "__main__":
    write_text(
        "config/README.md",
        markdown(Path("config/README.md").read_text(encoding="utf-8")),
    )
    write_json("workflow/schemas/config.schema.json", json_schema())
