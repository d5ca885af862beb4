"""Publications: each entry whole, each method cited."""

from __future__ import annotations

import pytest
import yaml

import attop
from attop_bench.bibliography import bibliography, cited
from support import ROOT


def test_publications_are_those_cited_and_attop():
    found = cited(["kar2015surrogate", "rudin2005ranking", "kar2015surrogate"])
    assert [entry.key for entry in found] == ["attop", "kar2015surrogate", "rudin2005ranking"]
    assert found[1].bibtex.startswith("@inproceedings{kar2015surrogate,\n  author = {Kar, Purushottam and")
    assert found[2].title == "Ranking with a P-Norm Push"
    with pytest.raises(KeyError, match="no entry rudin2006"):
        cited(["rudin2006"])


def test_every_entry_of_the_bibliography_is_whole():
    text = (ROOT / "src/attop_bench/references.bib").read_text()
    assert len(bibliography()) == text.count("\n@") + 1
    for entry in bibliography().values():
        assert entry.bibtex.count("{") == entry.bibtex.count("}")
        assert "author = " in entry.bibtex
    assert f"version = {{{attop.__version__}}}" in bibliography()["attop"].bibtex


def test_every_method_that_comes_along_cites():
    methods = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    for name, method in methods.items():
        assert method["cite"], f"{name} cites nothing"
        assert set(method["cite"]) <= set(bibliography()), f"{name}: add {method['cite']} to references.bib"
