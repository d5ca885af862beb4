"""The first line of a docstring says what is computed or decided: that it is returned, the signature says."""

import re

from support import ROOT


def test_no_docstring_begins_with_return():
    files = sorted((ROOT / "src").rglob("*.py"))
    found = [
        f"{file.relative_to(ROOT)}: {line}"
        for file in files
        for line in re.findall(r'^ *r?"""(Returns? .*)', file.read_text(encoding="utf-8"), re.M)
    ]
    assert len(files) > 300
    assert not found
