"""``.. layer::`` documents all a package exports, ``.. modules::`` all its modules do, one by one."""

from importlib import import_module
from inspect import cleandoc, isroutine
from pkgutil import walk_packages
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import nested_parse_with_titles

#: Made by scikit-learn for its metadata routing.
ROUTING = "set_fit_request, set_partial_fit_request, set_predict_request, set_score_request"


def _entry(module: str, name: str) -> tuple[str, list[str]]:
    """A line for the list of contents, and the entry itself."""
    value = getattr(import_module(module), name)
    path = f"{module}.{name}"
    if isinstance(value, type):
        exported = [getattr(import_module(module), other) for other in import_module(module).__all__]
        options = ["   :members:", f"   :exclude-members: {ROUTING}"]
        if set(value.__bases__) & {other for other in exported if isinstance(other, type)}:
            options.append("   :show-inheritance:")
        return _content(path, value.__doc__), [f".. autoclass:: {path}", *options, ""]
    if isroutine(value) or hasattr(value, "__wrapped__"):
        return _content(path, value.__doc__), [f".. autofunction:: {path}", ""]
    home, comment = _comment(module, name)
    return _content(f"{home}.{name}", comment), [f".. autodata:: {home}.{name}", "   :no-value:", ""]


def _content(path: str, docstring: str | None) -> str:
    paragraph = cleandoc(docstring or "").split("\n\n")[0]
    return f"- :py:obj:`~{path}`: {' '.join(paragraph.split())}"


def _comment(module: str, name: str) -> tuple[str, str]:
    """The comment of a constant stands where the constant is defined, not where it is exported."""
    package = import_module(module)
    below = walk_packages(getattr(package, "__path__", []), f"{module}.")
    for found in [module, *(m.name for m in below)]:
        comment = ModuleAnalyzer.for_module(found).find_attr_docs().get(("", name))
        if comment:
            return found, "\n".join(comment)
    raise ExtensionError(f"{module}.{name} has no comment '#:' where it is defined")


def _page(module: str) -> list[str]:
    names = sorted(import_module(module).__all__, key=lambda name: (not name[0].isupper(), name.lower()))
    contents, entries = zip(*(_entry(module, name) for name in names), strict=True)
    return [*contents, "", *(line for entry in entries for line in entry)]


def _sections(package: str) -> list[str]:
    lines = []
    for found in walk_packages(import_module(package).__path__, f"{package}."):
        if found.ispkg or ".kernels." in found.name:
            continue
        name = found.name.removeprefix(f"{package}.")
        title = (import_module(found.name).__doc__ or "").splitlines()[0]
        lines += [name, "-" * len(name), "", title, "", *_page(found.name)]
    return lines


class _Generated(Directive):
    required_arguments = 1

    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        section = nodes.section()
        section.document = self.state.document
        nested_parse_with_titles(self.state, StringList(self.lines(), source="layers"), section)
        return section.children


class Layer(_Generated):
    """All a package exports."""

    def lines(self) -> list[str]:
        """Write the page as reStructuredText."""
        return _page(self.arguments[0])


class Modules(_Generated):
    """All the modules of a package, each with what it exports."""

    def lines(self) -> list[str]:
        """Write the page as reStructuredText."""
        return _sections(self.arguments[0])


def split_attributes(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Repeat what is said of several attributes at once for each, as is done for parameters."""
    titles = [i for i, line in enumerate(lines[1:]) if lines[i] == "Attributes" and line.startswith("---")]
    if not titles:
        return
    split: list[str] = []
    entry: list[str] = []
    for line in [*lines[titles[0] + 2 :], "end"]:
        if line.startswith(" ") or not line:
            entry.append(line)
            continue
        if entry:
            names, colon, kind = entry[0].partition(" : ")
            together = names.split(", ") if all(map(str.isidentifier, names.split(", "))) else [names]
            split += [part for one in together for part in (one + colon + kind, *entry[1:])]
        entry = [line]
    lines[titles[0] + 2 :] = split


def tidy_fields(app: Sphinx, doctree: nodes.document) -> None:
    """Call attributes so; take back what is no link: the "shape" of a type, the address "prec@k"."""
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
    """Register the directives."""
    app.add_directive("layer", Layer)
    app.add_directive("modules", Modules)
    app.connect("autodoc-process-docstring", split_attributes, priority=400)
    app.connect("doctree-read", tidy_fields)
    app.connect("autodoc-skip-member", skip_fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
