"""Mathematics as MathML written into the pages: no script, no image, readable offline."""

import re
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
#: A fraction without braces: TeX takes one character or command each, the converter takes a whole number.
FRACTION = re.compile(r"\\([td]?)frac\s*(\d|[A-Za-z]|\\[A-Za-z]+)\s*(\d|[A-Za-z]|\\[A-Za-z]+|(?=\{))")
#: Of HTML, not of XML.
ENTITY = re.compile(r"&(?!lt;|gt;|amp;)\w+;")

ElementTree.register_namespace("", NAMESPACE)
logger = logging.getLogger(__name__)


def _braced(fraction: re.Match[str]) -> str:
    size, above, below = fraction.groups()
    return rf"\{size}frac{{{above}}}" + (f"{{{below}}}" if below else "")


def _mathml(node: nodes.Element, *, block: bool) -> str:
    source = FRACTION.sub(_braced, node.astext().strip())
    try:
        written = latex2mathml.tex2mathml(source, as_block=block)
    except MathError as error:
        logger.warning("cannot turn %r into MathML: %s", source, error, location=node)
        return f"<code>{escape(source)}</code>"
    tree = ElementTree.fromstring(ENTITY.sub(lambda name: unescape(name[0]), written))
    for stack in tree.iter(f"{{{NAMESPACE}}}munderover"):
        base, index, accent = stack
        if accent.text in ("~", "ˆ"):  # the converter puts the index of an accented letter below it
            letter = ElementTree.Element(f"{{{NAMESPACE}}}mover", accent="true")
            letter.extend([base, accent])
            stack.tag, stack[:] = f"{{{NAMESPACE}}}msub", [letter, index]
    return ElementTree.tostring(tree, encoding="unicode")


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula of its own."""
    self.body.append(f'<div class="math-block">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
