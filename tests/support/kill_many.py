"""Kill the default configuration's run twenty times at random, and compare its results with a whole run's.

``PYTHONPATH=tests python -m support.kill_many FOLDER [TIMES] [LONGEST]``: TIMES kills (20), each within
LONGEST seconds (30) of a start.
"""

import sys
from collections import Counter
from pathlib import Path

import yaml

from support import ROOT
from support.killing import finish, kill_and_resume, results, scores


def main(folder, times=20, longest=30):
    folder = Path(folder)
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    finish(folder / "whole", config)
    killed = kill_and_resume(folder / "killed", config, int(times), seed=0, longest=float(longest))
    assert scores(folder / "killed") == scores(folder / "whole")
    assert results(folder / "killed") == results(folder / "whole")
    print(f"killed {dict(Counter(killed))}; {len(scores(folder / 'whole'))} training jobs, identical results")


if __name__ == "__main__":
    main(*sys.argv[1:])
