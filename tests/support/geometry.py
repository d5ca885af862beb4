"""What must hold of every page of a report, measured in a browser: each script returns its faults."""

from __future__ import annotations

#: Rectangles of all lines of text that are seen, and pairs of them that overlap.
OVERLAPS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), boxes = [];
  const range = document.createRange();  // one, since each change of the page has to mend all there are
  for (let node; (node = walker.nextNode());) {
    const box = node.parentElement;
    if (!node.data.trim() || !box.checkVisibility() || box.closest("script, style, .skip, option")) continue;
    if (!box.getClientRects().length) continue;
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const r = { left, right, top, bottom };
      for (let p = box; p && p !== document.body; p = p.parentElement) {
        if (p.closest("svg") || getComputedStyle(p).overflow === "visible") continue;
        const clip = p.getBoundingClientRect();
        r.left = Math.max(r.left, clip.left); r.right = Math.min(r.right, clip.right);
        r.top = Math.max(r.top, clip.top); r.bottom = Math.min(r.bottom, clip.bottom);
      }
      if (r.right - r.left > 1 && r.bottom > r.top) boxes.push([node.data.trim(), r, box]);
    }
  }
  const cut = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const sticks = (box) => getComputedStyle(box.closest("th") ?? box).position === "sticky";
  boxes.sort(([, a], [, b]) => a.top - b.top);
  const faults = [];
  boxes.forEach(([text, r, own], i) => {
    for (let j = i + 1; j < boxes.length && boxes[j][1].top < r.bottom; j++) {
      const [other, its, box] = boxes[j];
      if (own === box || sticks(own) || sticks(box) || !cut(r, its)) continue;
      faults.push(`${text} lies over ${other}`);
    }
  });
  return faults.slice(0, 5);
}"""

#: Side of the largest square without text, cell, mark or figure, from the first line to the last of a screen.
BLANK = """() => {
  const seen = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility()
    && (e.matches("td, th, li, p, h1, h2, h3, button, label, select, summary, figure, .plot svg, .card, a")));
  const boxes = seen.map((e) => e.getBoundingClientRect()).filter((r) => r.width && r.height);
  const step = 10, bottom = Math.min(900, Math.max(...boxes.map((r) => r.bottom)));
  const rows = Math.floor(bottom / step), columns = Math.floor(document.body.clientWidth / step);
  const { left } = document.body.getBoundingClientRect();
  const full = Array.from({ length: rows }, () => new Uint8Array(columns));
  for (const r of boxes) {
    for (let y = Math.max(0, Math.floor(r.top / step)); y < Math.min(rows, r.bottom / step); y++)
      full[y].fill(1, Math.max(0, Math.floor((r.left - left) / step)), Math.ceil((r.right - left) / step));
  }
  let most = 0;
  const side = full.map((row) => [...row].fill(0));
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) if (!full[y][x]) {
    side[y][x] = 1 + (x && y ? Math.min(side[y - 1][x], side[y][x - 1], side[y - 1][x - 1]) : 0);
    most = Math.max(most, side[y][x]);
  }
  return most * step;
}"""

#: Names of the map whose middle is not that of their cells: of rows across, of columns along.
OFF = """() => [...document.querySelectorAll(".map")].filter((e) => e.checkVisibility()).flatMap((map) => {
  const seen = (e) => e.getClientRects().length > 0, range = document.createRange();
  const middle = (e, axis) => {
    range.selectNodeContents(e);
    const r = (e.matches("th") ? range : e).getBoundingClientRect();
    return axis === "x" ? (r.left + r.right) / 2 : (r.top + r.bottom) / 2;
  };
  const turned = map.matches(".turned"), faults = [];
  const compare = (head, cells, axis) => {
    const off = Math.max(...cells.map((cell) => Math.abs(middle(cell, axis) - middle(head, axis))));
    const line = axis === "x" ? "column" : "row";
    if (off > 2) faults.push(`${head.textContent} is ${off.toFixed(1)} px off its ${line}`);
  };
  for (const row of map.tBodies[0].rows) {
    const cells = [...row.querySelectorAll("td[data-top]")].filter(seen);
    if (cells.length) compare(row.querySelector("th"), cells, turned ? "x" : "y");
  }
  const first = map.tBodies[0].rows[0].querySelectorAll("td[data-top]");
  map.querySelectorAll("thead .set").forEach((head, i) => {
    const { dataset, top } = first[i].dataset;
    const cells = map.querySelectorAll(`td[data-dataset="${dataset}"][data-top="${top}"]`);
    if (seen(head)) compare(head, [...cells].filter(seen), turned ? "y" : "x");
  });
  return faults;
})"""

#: Names of data sets and methods that are not whole: of the map, and of the strip.
CUT_NAMES = """() => {
  const places = ".map thead .set a, .map tbody th, .strip .name, .numbers tbody th";
  const names = [...document.querySelectorAll(places)];
  const seen = names.filter((e) => e.checkVisibility() && e.getClientRects().length);
  const hides = (e) => getComputedStyle(e).overflow !== "visible", range = document.createRange();
  const isCut = (name) => {
    range.selectNodeContents(name);
    const lines = [...range.getClientRects()];
    for (let box = name; box && !box.matches("table, ol"); box = box.parentElement) {
      if (!hides(box)) continue;
      const r = box.getBoundingClientRect();
      const outside = (line) => line.left < r.left - 2 || line.right > r.right + 2
        || line.top < r.top - 2 || line.bottom > r.bottom + 2;
      if (lines.some(outside)) return true;
      if (box.scrollWidth > box.clientWidth + 2 || box.scrollHeight > box.clientHeight + 2) return true;
    }
    return false;
  };
  return seen.filter(isCut).map((name) => `${name.textContent.trim()} is cut`).slice(0, 5);
}"""

#: Regions that are cut at their right side, without a sign.
CUT = """() => [...document.querySelectorAll(".scroll")].filter((box) => box.checkVisibility()
  && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible"
  && getComputedStyle(box, "::before").content === "none").map((box) => box.innerText.slice(0, 60))"""

#: Boxes of figures that hold no picture, or one too small to be read, or one that lies over its caption.
NO_INK = """() => {
  const faults = [], seen = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  for (const box of [...document.querySelectorAll(".drawing, .plot")].filter(seen)) {
    const svg = box.querySelector("svg:not(.key)"), name = box.closest("figure")?.id ?? box.className;
    const inked = svg?.querySelectorAll("path, use, polygon, text") ?? [];
    const marks = [...inked].map((e) => e.getBoundingClientRect());
    const height = Math.max(0, ...marks.map((r) => r.bottom)) - Math.min(...marks.map((r) => r.top));
    if (!svg || !(height > 60)) { faults.push(`${name} has no ink`); continue; }
    const r = svg.getBoundingClientRect(), b = box.getBoundingClientRect();
    if (r.bottom > b.bottom + 2 || r.right > b.right + 2) faults.push(`${name} is larger than its box`);
  }
  return faults;
}"""

#: The key by which the map is sorted: seen in every row, and ascending.
UNSORTED = """() => {
  const maps = [...document.querySelectorAll(".map")].filter((map) => map.checkVisibility());
  if (!maps.length) return [];
  const cells = maps.flatMap((map) => [...map.querySelectorAll("tr[data-method] .behind")]);
  const unseen = cells.filter((e) => !e.getClientRects().length || getComputedStyle(e).display === "none");
  const ascends = maps.every((map) => [...map.querySelectorAll("tr[data-method] .behind")]
    .map((e) => parseFloat(e.textContent)).filter((x) => x >= 0).every((x, i, all) => !i || x >= all[i - 1]));
  const faults = ascends ? [] : ["not sorted"];
  return !cells.length || unseen.length ? [...faults, "the sort key is not seen"] : faults;
}"""

#: Methods that have another colour in the strip or the picture than their key, where they are not quiet.
COLOURS = """() => {
  const faults = [], seen = (e) => e.getClientRects().length > 0;
  for (const e of [...document.querySelectorAll(".current .strip li[data-m], .plot .point")].filter(seen)) {
    const key = document.querySelector(e.querySelector("use").getAttribute("href")).firstChild;
    const mark = e.querySelector(".mean"), line = mark ?? e.querySelector(".interval");
    if (!line) continue;
    const own = mark ? getComputedStyle(mark).borderTopColor : getComputedStyle(line).stroke;
    const quiet = getComputedStyle(document.documentElement).getPropertyValue("--quiet");
    const box = document.createElement("i");
    box.style.color = e.matches(".quiet") ? quiet : getComputedStyle(key).fill;
    document.body.append(box);
    if (own !== getComputedStyle(box).color) faults.push(`${e.dataset.m}: ${own}`);
    const lines = `.current figure .m[data-m="${CSS.escape(e.dataset.m)}"] path`;
    for (const drawn of document.querySelectorAll(lines)) {
      const { fill, stroke } = getComputedStyle(drawn);
      if (stroke === "none" || fill !== "none" || mark === null) continue;  // marks have an edge of paper
      if (drawn.closest(".quiet") ? false : stroke !== own) faults.push(`${e.dataset.m}: ${own}, ${stroke}`);
    }
    box.remove();
  }
  return faults;
}"""

#: Marks of methods that stand on their head beside turned names: a triangle would be another's.
TURNED_MARKS = """() => [...document.querySelectorAll(".key")].filter((key) => {
  if (!key.checkVisibility() || !key.getClientRects().length) return false;
  let turn = new DOMMatrix();
  for (let box = key; box; box = box.parentElement) {
    const { transform } = getComputedStyle(box);
    if (transform !== "none") turn = new DOMMatrix(transform).multiply(turn);
  }
  return Math.abs(turn.a - 1) > 1e-6 || Math.abs(turn.b) > 1e-6;
}).map((key) => `the mark of ${key.parentElement.textContent.trim()} is turned`).slice(0, 5)"""

FAULTS = {
    "overlap": OVERLAPS,
    "off": OFF,
    "names": CUT_NAMES,
    "cut": CUT,
    "ink": NO_INK,
    "order": UNSORTED,
    "colour": COLOURS,
    "marks": TURNED_MARKS,
}
#: Pixels of a side.
LARGEST_BLANK = 300


def faults(page):
    """Return the faults of the page as it is shown, by kind; none is an empty mapping."""
    found = {kind: page.evaluate(script) for kind, script in FAULTS.items()}
    side = page.evaluate(BLANK)
    found["blank"] = [f"a square of {side} px is blank"] if side > LARGEST_BLANK else []
    return {kind: these for kind, these in found.items() if these}
