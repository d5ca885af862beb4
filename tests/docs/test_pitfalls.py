"""Each pitfall that a message names has a section, and each section of the page is named or linked."""

import re

from support import ROOT

PAGE = (ROOT / "docs/howto/pitfalls.md").read_text(encoding="utf-8")
#: Anchors as GitHub and MyST make them of headings.
ANCHORS = {heading.lower().replace(" ", "-") for heading in re.findall("^## (.+)$", PAGE, re.M)}


def test_the_sections_are_those_of_the_findings():
    assert {"leak", "edge-of-a-grid", "few-positives", "ties", "drift"} == ANCHORS


def test_messages_name_sections_that_are_there():
    named = set()
    for file in (ROOT / "src").rglob("*.py"):
        named |= {*re.findall(r"pitfall\([\"']([a-z-]+)", file.read_text(encoding="utf-8"))}
    assert named <= ANCHORS
    assert {"leak", "few-positives", "ties", "drift"} <= named


def test_pages_that_speak_of_them_link_to_them():
    linked = set()
    for page in (ROOT / "docs").rglob("*.md"):
        linked |= {*re.findall(r"pitfalls\.md#([a-z-]+)", page.read_text(encoding="utf-8"))}
    assert linked == ANCHORS
