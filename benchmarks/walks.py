"""How often the values of a table change module: under a look, to the matrix, and to a list of new rows.

python -m benchmarks.walks [--modules]

A step is a call from a function of one module to a function of another one that is given rows: a table, a
column, an array or a list with a value for each row, the lines of the file, or an object that holds one of
these. Each pair of functions counts once, however many columns or lines there are. `doors` are the steps from
one room (folder) to another; `modules` and `rooms` are those that were stepped into, `opens` is how often the
file is opened.
"""

import builtins
import os
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pandas as pd

PACKAGE = "attop_bench."
#: Rows of the table: a number that no other length is.
ROWS = 397


def write_table(folder):
    """Write a table of a number, a category, and a label; return its path."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=ROWS).round(3)
    frame = pd.DataFrame({"x": x, "kind": rng.choice(list("abc"), ROWS)})
    frame["y"] = np.where(x + rng.normal(size=ROWS) > 1, "yes", "no")
    path = Path(folder) / "t.csv"
    frame.to_csv(path, index=False)
    return path


def holds_rows(value, depth=2):
    """Return whether a value holds rows: so many values, or an object with such a field."""
    if isinstance(value, pd.DataFrame | pd.Series | np.ndarray | list | tuple):
        return len(value) >= ROWS if getattr(value, "shape", (1,)) else False
    if hasattr(value, "content"):  # a file that is held
        return True
    if depth and is_dataclass(value) and not isinstance(value, type):
        return any(holds_rows(vars(value).get(field.name), depth - 1) for field in fields(value))
    return False


@contextmanager
def walk():
    """Record the steps between modules, and the paths that are opened."""
    steps, opened = {}, []
    builtin = builtins.open

    def opening(path, *args, **options):
        opened.append(os.fspath(path) if isinstance(path, str | os.PathLike) else "")
        return builtin(path, *args, **options)

    def note(frame, event, argument):
        if event != "call" or frame.f_back is None:
            return
        callee, caller = (place.f_globals.get("__name__", "") for place in (frame, frame.f_back))
        if callee == caller or not callee.startswith(PACKAGE):
            return
        if any(holds_rows(value) for value in list(frame.f_locals.values())):
            steps.setdefault((frame.f_back.f_code, frame.f_code), (caller, callee))

    builtins.open = opening
    sys.setprofile(note)
    try:
        yield steps, opened
    finally:
        sys.setprofile(None)
        builtins.open = builtin


def room_of(module):
    """Return the folder of a module."""
    return module.rpartition(".")[0]


def show(what, steps, opened, path):
    """Print a line of the table."""
    modules = sorted({callee for _, callee in steps.values()})
    doors = sum(room_of(caller) != room_of(callee) for caller, callee in steps.values())
    rooms = set(map(room_of, modules))
    opens = opened.count(str(path))
    print(f"{what:<12}{len(steps):>8}{doors:>8}{len(modules):>9}{len(rooms):>7}{opens:>7}")
    return modules


def main():
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from attop_bench.data.build import make
    from attop_bench.data.profile.look import look
    from attop_bench.data.profile.proposal import parameters
    from support.packages import linear_package

    with tempfile.TemporaryDirectory() as folder:
        path = write_table(folder)
        table = look(path, "y", "yes")  # and all modules are imported
        options = parameters(table)
        package = linear_package(path)
        make("file", **options)
        package.rank(path)
        print(f"{'way':<12}{'steps':>8}{'doors':>8}{'modules':>9}{'rooms':>7}{'opens':>7}")
        ways = {
            "look": lambda: look(path, "y", "yes"),
            "matrix": lambda: make("file", **options).matrix,
            "score": lambda: package.rank(path),
        }
        for what, way in ways.items():
            with walk() as (steps, opened):
                way()
            modules = show(what, steps, opened, path)
            if "--modules" in sys.argv:
                print("\n".join(f"    {module.removeprefix(PACKAGE)}" for module in modules))


if __name__ == "__main__":
    main()
