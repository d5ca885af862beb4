"""What became of the content of `src` since a revision, in nodes of the syntax tree.

python -m benchmarks.content [REVISION]

A function, or what a class or a module says outside its functions, is one unit. A unit of then is found again
by its file and name, else by its name alone, else by likeness: at least half of the names and constants in
common. Units found again show whether what was there has grown or shrunk: what is left of it is the content
then or now, whichever is less, and the growth is what was added inside it. A room has what is left of its
units wherever they stand now. Those that are new are summed by the topic that brought them.
"""

import ast
import collections
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Last landing before content was counted.
FIRST = "2fcfaf56"

#: Least share of names and constants that a unit under another name has in common with the old one.
LIKE = 0.5

#: Smaller units are alike by chance: without their name they are not found again.
FEWEST_NODES = 40

#: What brought the files that are new, by how their paths begin. The first line that fits counts.
TOPICS = {
    "62 workflow": """
        attop_bench/run/ attop_bench/archives attop_bench/jobs attop_bench/cli/completion
        snakemake_logger_plugin_attop attop_bench/files attop_bench/cli/runs attop_bench/cli/folder
        attop_bench/cli/estimate attop_bench/cli/doctor
    """,
    "63 judge and forecast": """
        attop/experiment attop/statistics attop/headroom attop_bench/cli/propose attop_bench/cli/watch
        attop_bench/deploy/watched attop_bench/deploy/unlike attop_bench/deploy/training
        attop_bench/deploy/aspects attop_bench/deploy/by_part attop_bench/deploy/trial
    """,
    "64 page and lists": """
        attop_bench/report attop/metrics/_capacity attop_bench/deploy/spreadsheet attop_bench/deploy/picture
        attop_bench/deploy/lists attop_bench/cli
    """,
    "65 data": "attop_bench/data attop_bench/deploy",
    "66 doors": "attop/extending",
    "68 papers and baselines": """
        attop/learners attop/surrogates attop/from_papers attop/solvers attop/objectives attop_bench/papers
    """,
}


@dataclass(frozen=True)
class Unit:
    """A function, or what a class or a module says outside its functions and classes."""

    path: str
    name: str
    nodes: int
    words: Counter


def read_sources(revision):
    """Return the source of each Python file below `src`, of a revision, or of the working tree by None."""
    if revision is None:
        return {str(path.relative_to(ROOT)): path.read_bytes() for path in (ROOT / "src").rglob("*.py")}
    names = git("ls-tree", "-r", "--name-only", revision, "--", "src").decode().split()
    return {name: git("show", f"{revision}:{name}") for name in names if name.endswith(".py")}


def git(*arguments):
    """Return what a command of git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def units_of(path, tree, name=""):
    """Return the units of a module: every node stands in one of them."""
    parts = []
    rest = [tree]
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ClassDef):
            parts += units_of(path, node, f"{name}.{node.name}".strip("."))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = list(ast.walk(node))
            parts.append(Unit(path, f"{name}.{node.name}".strip("."), len(function), words_of(function)))
        else:
            rest.append(node)
            todo += ast.iter_child_nodes(node)
    outside = f"{name}.<rest>".strip(".")
    return [*parts, Unit(path, outside, len(rest), words_of(rest))]


def words_of(nodes):
    """Return how often nodes name each name, attribute, parameter and constant that is no docstring."""
    words = Counter()
    for node in nodes:
        for field in ("id", "attr", "arg"):
            if isinstance(getattr(node, field, None), str):
                words[getattr(node, field)] += 1
        if isinstance(node, ast.Constant) and len(str(node.value)) < 40:
            words[str(node.value)] += 1
    return words


def likeness(old, new):
    """Return the share of words that two units have in common."""
    common = (old.words & new.words).total()
    return common / max(old.words.total(), new.words.total(), 1)


def pair(old_units, new_units):
    """Return the new unit of each old one that is found again."""
    pairs = {}
    left = set(range(len(new_units)))
    for key in (lambda unit: (unit.path, unit.name), lambda unit: unit.name):
        match_by(key, old_units, new_units, pairs, left)
    match_by_likeness(old_units, new_units, pairs, left)
    return {old: new_units[new] for old, new in pairs.items()}


def match_by(key, old_units, new_units, pairs, left):
    """Pair the units with equal keys; of several the likest, which must have something in common."""
    homes = collections.defaultdict(list)
    for new in left:
        homes[key(new_units[new])].append(new)
    for i, old in enumerate(old_units):
        if i in pairs:
            continue
        candidates = [new for new in homes[key(old)] if new in left]
        if not candidates:
            continue
        best = max(candidates, key=lambda new: (likeness(old, new_units[new]), -new))
        same_file = old.path == new_units[best].path
        if same_file or likeness(old, new_units[best]) > 0.2:
            pairs[i] = best
            left.discard(best)


def match_by_likeness(old_units, new_units, pairs, left):
    """Pair what is left by likeness, the likest first."""
    scores = []
    for i, old in enumerate(old_units):
        if i in pairs or old.nodes < FEWEST_NODES:
            continue
        for new in left:
            share = likeness(old, new_units[new])
            if share >= LIKE:
                scores.append((share, -i, -new))
    for _, i, new in sorted(scores, reverse=True):
        if -i not in pairs and -new in left:
            pairs[-i] = -new
            left.discard(-new)


def topic_of(unit):
    """Return the topic that brought a new unit, by its path."""
    path = unit.path.removeprefix("src/")
    for topic, starts in TOPICS.items():
        if path.startswith(tuple(starts.split())):
            return topic
    return "other"


def count_lines(source):
    """Return the number of lines that hold code: neither blank, nor a comment, nor a docstring."""
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            docstrings.update(range(first.lineno, first.end_lineno + 1))
    lines = source.decode().split("\n")
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in docstrings
        for number, line in enumerate(lines, 1)
    )


def main(revision=FIRST):
    """Print what became of the units of a revision, what is new by topic, and nodes a line by room."""
    before = read_sources(revision)
    now = read_sources(None)
    old_units = [unit for path, source in before.items() for unit in units_of(path, ast.parse(source))]
    new_units = [unit for path, source in now.items() for unit in units_of(path, ast.parse(source))]
    pairs = pair(old_units, new_units)
    show_units(revision, old_units, new_units, pairs)
    show_rooms(before, now, contents_left(old_units, pairs))


def show_units(revision, old_units, new_units, pairs):
    """Print the nodes of units that are still there, are gone, or are new."""
    same = sum(old_units[i].nodes for i in pairs)
    total = sum(unit.nodes for unit in old_units)
    still = sum(unit.nodes for unit in pairs.values())
    everything = sum(unit.nodes for unit in new_units)
    paired = set(map(id, pairs.values()))
    new = [unit for unit in new_units if id(unit) not in paired]
    grown = sum(max(0, unit.nodes - old_units[i].nodes) for i, unit in pairs.items())
    shrunk = sum(max(0, old_units[i].nodes - unit.nodes) for i, unit in pairs.items())
    print(f"at {revision}: {total:,} nodes in {len(old_units):,} units")
    print(f"  gone: {total - same:,} in {len(old_units) - len(pairs):,}")
    print(
        f"  there: {same:,} then, {still:,} now in {len(pairs):,} (grown by {grown:,}, shrunk by {shrunk:,})"
    )
    print(f"  left of it: {still - grown:,}")
    print(f"now: {everything:,} nodes in {len(new_units):,} units")
    topics = Counter()
    for unit in new:
        topics[topic_of(unit)] += unit.nodes
    print(f"  new: {everything - still:,} in {len(new):,}, by topic:")
    for topic, nodes in sorted(topics.items()):
        print(f"    {nodes:7,}  {topic}")


def contents_left(old_units, pairs):
    """Sum what is left of each room's units, in nodes, wherever they stand now."""
    left = Counter()
    for i, old in enumerate(old_units):
        now = pairs[i].nodes if i in pairs else 0
        folders = old.path.split("/")[:-1]
        for depth in range(2, len(folders) + 1):
            left["/".join(folders[:depth]) + "/"] += min(now, old.nodes)
    return left


def show_rooms(before, now, left):
    """Print nodes then, left of them and now, lines of code, and nodes a line of each room."""
    nodes = f"{'nodes':>8} {'left':>8} {'now':>8}"
    print(f"\n{'room':32} {nodes} {'lines':>7} {'now':>7} {'a line':>7} {'now':>7}")
    folders = ["/".join(path.split("/")[:3]) for path in now]
    rooms = {f"{folder}/" for folder in folders if not folder.endswith(".py")}
    for room in sorted({"src/attop/", "src/attop_bench/", *rooms}):
        nodes_then, lines_then = measure_room(before, room)
        nodes, lines = measure_room(now, room)
        then = nodes_then / max(lines_then, 1)
        sizes = f"{nodes_then:8,} {left[room]:8,} {nodes:8,} {lines_then:7,} {lines:7,}"
        print(f"{room:32} {sizes} {then:7.2f} {nodes / lines:7.2f}")


def measure_room(sources, room):
    """Return the nodes and the lines of code of the files below a folder."""
    chosen = [source for path, source in sources.items() if path.startswith(room)]
    nodes = sum(sum(1 for _ in ast.walk(ast.parse(source))) for source in chosen)
    return nodes, sum(map(count_lines, chosen))


if __name__ == "__main__":
    main(*sys.argv[1:])
