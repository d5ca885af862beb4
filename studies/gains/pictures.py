"""Draw pictures of the documents: forest plots of the gains by set, the tree of choosing, README's example.

``python -m studies.gains.pictures`` writes soft-top.png, choosing-tree.svg and compare.png.
"""

import math
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import t

from attop_bench.papers.pictures import COLOURS, panels
from attop_bench.report.figures.scene import figure_theme

DOCS = Path(__file__).parents[2] / "docs/explanation"
TEST_TO_TRAIN = 30 / 70
#: Text, left edge and top of each box of the tree; questions are rounded.
BOXES = {
    "any": ("May you use any model?", 20, 20),
    "trees": ("Boosting or TopStack", 330, 20),
    "groups": ("A list for every user or query?", 20, 100),
    "users": ("Logistic regression, GD-pAp@k, with groups", 330, 100),
    "rows": ("Rows enough to see a gain? (attop headroom)", 20, 180),
    "base": ("Logistic regression, tuned at your k", 330, 180),
    "soft": ("The same, and SoftTop beside it", 330, 260),
}
ARROWS = [
    ("any", "trees", "yes"), ("any", "groups", "no, linear"), ("groups", "users", "yes"),
    ("groups", "rows", "no"), ("rows", "base", "no"), ("rows", "soft", "yes"),
]  # fmt: skip
WIDTH, HEIGHT = 250, 40


def forest(gains: pd.DataFrame, title: str, file: str) -> None:
    """Draw the mean gain of each set, 95% interval corrected for overlapping training splits, by k."""
    tops = list(dict.fromkeys(gains["top"]))
    canvas, axes = panels([f"{title}, k = {top}" for top in tops], 3.6, sharey=True)
    sets = sorted(set(gains["set"]), reverse=True)
    with figure_theme():
        for one, top in zip(axes, tops, strict=True):
            one.axvline(0, color=COLOURS["open"], linewidth=0.8)
            for y, name in enumerate(sets):
                its = gains[(gains["top"] == top) & (gains["set"] == name)]["gain"]
                error = its.std() * math.sqrt(1 / len(its) + TEST_TO_TRAIN)
                reach = t.ppf(0.975, len(its) - 1) * error
                sure = "open" if abs(its.mean()) <= reach else "above" if its.mean() > 0 else "below"
                one.plot([its.mean() - reach, its.mean() + reach], [y, y], color=COLOURS[sure], linewidth=1.2)
                one.plot(its.mean(), y, "o", color=COLOURS[sure], markersize=4.5)
            one.set_yticks(range(len(sets)), sets)
            one.set_xlabel("gain in precision@k")
    canvas.savefig(DOCS / file, dpi=150, facecolor="white", metadata={"Software": None})


def tree() -> str:
    """Return the tree of choosing as SVG."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 320" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="600" height="320" fill="#fff"/>',
    ]
    for start, end, said in ARROWS:
        (_, x, y), (_, u, v) = BOXES[start], BOXES[end]
        down = u == x
        a, b = (x + WIDTH / 2, y + HEIGHT) if down else (x + WIDTH, y + HEIGHT / 2)
        c, d = (u + WIDTH / 2, v) if down else (u, v + HEIGHT / 2)
        parts.append(f'<path d="M{a} {b}L{c} {d}" stroke="#6b6b6a" fill="none"/>')
        parts.append(f'<text x="{(a + c) / 2 + 6}" y="{(b + d) / 2 - 5}" fill="#6b6b6a">{said}</text>')
    for name, (text, x, y) in BOXES.items():
        question = x < 100
        fill, radius = ("#eef2f7", 18) if question else ("#e2f3ec", 3)
        parts.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="{radius}" fill="{fill}"/>')
        parts.append(
            f'<text x="{x + WIDTH / 2}" y="{y + 25}" text-anchor="middle" id="{name}" textLength="'
            f'{min(WIDTH - 16, 7 * len(text))}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def example() -> Figure:
    """Return the picture of README's example in Python."""
    [code] = re.findall(r"```python\n(.*?)```", (DOCS.parents[1] / "README.md").read_text("utf-8"), re.DOTALL)
    *statements, last = code.strip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(statements), names)
    return eval(last, names).plot().figure


def main() -> None:
    soft = pd.read_csv(DOCS / "soft-top.csv")
    soft["top"] = soft["kappa"].map({0.25: "n+/4", 0.5: "n+/2", 1.0: "n+"})
    forest(soft.assign(gain=soft["soft"] - soft["base"]), "SoftTop", "soft-top.png")
    (DOCS / "choosing-tree.svg").write_text(tree(), encoding="utf-8")
    example().savefig(DOCS.parent / "images/compare.png", facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
