"""What README.md says works."""

import re

import pytest
import yaml

from attop_bench.run.config import load_config
from support import ROOT

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_two_commands():
    install_and_run, install_and_test = (block.strip() for block in blocks("bash"))
    environment = (
        "python3 -m venv .venv && . .venv/bin/activate && "  # pip refuses to install outside of one (PEP 668)
    )
    assert install_and_run == environment + 'pip install -e ".[workflow]" && snakemake --cores 16'
    assert install_and_test == environment + 'pip install -e ".[test]" && pytest'


@pytest.mark.workflow
def test_python():
    (block,) = blocks("python")
    *statements, last = block.strip().splitlines()
    names = {}
    exec("\n".join(statements), names)
    assert " ".join(README.split()).count(f"*{eval(last, names).sentence}*") == 1


def test_yaml():
    (block,) = blocks("yaml")
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config = load_config({**default, **yaml.safe_load(block)}, ROOT)
    assert [d.id for d in config.datasets] == ["mine"]
    assert [m.id for m in config.methods] == ["sgd-avg", "push-8", "logistic-regression", "forest"]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)]+)\)", README))))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
