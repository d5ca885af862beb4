"""What README.md says works."""

import re

import pytest

from support import ROOT

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.workflow
def test_python():
    (block,) = blocks("python")
    *statements, last = block.strip().splitlines()
    names = {}
    exec("\n".join(statements), names)
    assert " ".join(README.split()).count(f"*{eval(last, names).sentence}*") == 1


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)]+)\)", README))))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
