"""An empty environment with a wheel of attop, its declared dependencies and nothing else.

``python tests/support/installed.py EXTRA ...`` installs each extra so, imports every public name and says
what it took.
"""

import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What pip and uv say where they cannot download.
NO_NETWORK = (
    "Failed to fetch|error sending request|dns error|Temporary failure|NewConnectionError|ConnectionError|"
    "Connection refused|Could not connect|timed out"
)
#: Prints the number of public names that can be imported, then the others, each with its error.
NAMES = """
import importlib, pathlib, attop
found, root = 0, pathlib.Path(attop.__file__).parent
refused = []
for stub in sorted(root.rglob("__init__.pyi")):
    package = importlib.import_module(".".join(("attop", *stub.parent.relative_to(root).parts)))
    for name in package.__all__:
        try:
            getattr(package, name)
            found += 1
        except ImportError as error:
            refused.append(f"{package.__name__}.{name}: {error}")
print(found, *refused, sep="\\n")
"""


class CannotInstall(Exception):
    """There is no installer, or no network."""


def build(folder):
    """Build a wheel of this repository; return its path."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def install(wheel, home, extra=""):
    """Make an environment, with the wheel and what it declares; return its Python."""
    if not (uv := shutil.which("uv") or (find_spec("uv") and str(Path(sys.executable).with_name("uv")))):
        raise CannotInstall("uv, which makes environments in seconds, is not installed")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, home], check=True)
    python = Path(home) / "bin" / "python"
    wanted = f"{wheel}[{extra}]" if extra else wheel
    command = [uv, "pip", "install", "--quiet", "--python", python, wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and re.search(NO_NETWORK, done.stderr):
        raise CannotInstall(f"the dependencies cannot be downloaded: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return str(python)


def names(python):
    """Return how many public names can be imported, and a line for each of the others."""
    done = subprocess.run([python, "-P", "-c", NAMES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    number, *refused = done.stdout.splitlines()
    return int(number), refused


def megabytes(home):
    """Return the size of an environment."""
    return sum(file.stat().st_size for file in Path(home).rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder) / "dist")
        for name in sys.argv[1:] or [""]:
            start, place = time.monotonic(), Path(folder) / f"env-{name}"
            there = install(built, place, name)
            took = time.monotonic() - start
            number, others = names(there)
            print(
                f"{name or 'base'}: {number} names, {took:.0f} s, {megabytes(place):.0f} MB",
                *others,
                sep="\n  ",
            )
            shutil.rmtree(place)
