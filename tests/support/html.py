"""A report as HTML: well formed, and taken apart."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from contextlib import contextmanager
from html.parser import HTMLParser

from attop_bench.report import build_report
from attop_bench.report.figures.scene import Figure
from support.made_up import as_tables


class Page(HTMLParser):
    """Checks that tags are balanced; collects text, ids and references."""

    VOID = frozenset({"meta", "br", "col", "link", "img", "input", "hr"})

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.ids, self.links, self.sources = [], [], Counter(), [], []
        self.tags = Counter()
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        self.words = " ".join(self.text)

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags[tag] += 1
        for name, value in attributes:
            if name == "id":
                self.ids[value] += 1
            elif name in ("href", "xlink:href"):
                self.links.append(value)
            elif name in ("src", "srcset", "data", "action"):
                self.sources.append(value)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def markup(html):
    """What is seen without the scripts and the numbers they work with."""
    return re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)


def built(tmp_path, tables):
    *tables, manifest = tables
    build_report(as_tables(*tables), manifest, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    return html, Page(html)


def packed(html):
    """Return the data the page's script works with."""
    text = re.search(r'<script type="text/plain" id="data">(.*?)</script>', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))


@contextmanager
def not_drawn(files, jobs):
    """Stands in for what draws figures, which takes most of a report's time."""

    def draw(drawings, scene, material):
        figures = [Figure(f"{scene.name}-{its.title}", "", "") for its in drawings]
        return lambda: figures

    yield draw
