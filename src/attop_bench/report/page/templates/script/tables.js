// Tables made here, sorting, and the shown table as a file.
function table(heads, rows, ...caption) {
  const head = make("tr", {}, ...heads.map((text, i) => make("th", { scope: "col", class: i ? "num up" : "" }, text)));
  const words = (look, text) => make("span", { class: look }, text);
  const cell = ({ text, value, state: its = "", pm = "", sign = "", notes = [] }) => make("td", { class: `num ${its}`, "data-v": value },
    words("v", text), words("pm", pm), words("sign", sign), ...notes.map((note) => words("n", note)));
  const body = rows.map(([method, ...cells]) => make("tr", { "data-method": method },
    make("th", { scope: "row" }, ...named(method)), ...cells.map(cell)));
  const made = make("table", { class: "sortable" },
    make("caption", {}, make("span", {}, ...caption)), make("thead", {}, head), make("tbody", {}, ...body));
  sortable(made);
  return made;
}

/** What a cell is sorted by: its value, the first number of its text, or the text. */
function keyOf(row, column) {
  const cell = row.cells[column];
  if (cell?.dataset.v) return Number(cell.dataset.v);
  const text = cell && !("v" in cell.dataset) ? cell.textContent.trim() : "";
  if (!cell?.matches(".num")) return text.toLowerCase();
  return parseFloat(text.replace("−", "-").replace(/^[<>] /, ""));
}

function sortable(made) {
  const heads = [...made.tHead.rows[0].cells], body = made.tBodies[0];
  // One stop of the Tab key a table; the arrow keys go from head to head.
  onArrows(made.tHead, (step, button) => {
    const to = heads[button.closest("th").cellIndex + step];
    if (!to) return;
    button.tabIndex = -1;
    to.firstChild.tabIndex = 0;
    to.firstChild.focus();
  });
  heads.forEach((head, column) => {
    const about = { type: "button", title: "Sort by this column", tabindex: column ? -1 : 0 };
    const button = make("button", about, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.ariaSort, down = now ? now === "ascending" : head.classList.contains("up");
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? "descending" : "ascending";
      const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
      const missing = ({ key }) => key !== key;  // last either way
      rows.sort((a, b) => missing(a) - missing(b) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (down ? -1 : 1));
      body.append(...rows.map(({ row }) => row));
    });
  });
}

function save(text, name, type) {
  make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name }).click();
}

function exportTable(set, format) {
  const metric = metricOf(set), { order, exports } = set.views[metric], { head, rows, foot } = exports[format];
  const text = [head, ...order.filter(shown).map((method) => rows[method]), foot].join("\n").trimEnd();
  save(`${text}\n`, `${set.id}-${metric.replace(/[^\w-]/g, "-")}.${format}`, "text/plain");
}
