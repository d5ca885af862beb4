// The map of methods on data sets and tops, and walking it by keyboard.
const map = document.getElementById("map");

function fillMap() {
  const view = DATA.overview[state.metric][placeOf()], body = map?.tBodies[0];
  for (const id of ["headline", "shows"]) document.getElementById(id)?.replaceChildren(view[id]);
  if (!map) return;
  for (const cell of all("td[data-top]", body)) {
    const judged = judgedAt(SETS[cell.dataset.dataset], cell.dataset.top), { method } = cell.parentNode.dataset;
    const its = judged?.cells[method], by = its && state.against ? gap(judged, method) : NaN;
    if (!method) cell.textContent = state.against ? "·" : judged?.random_baseline ?? "·";
    else {
      const difference = () => signed(by, Math.abs(by) < 10 ? 2 : 1).replace(/^([+−])0\./, "$1.");
      cell.textContent = !its ? "·" : state.against ? difference() : its.brief;
      cell.className = its ? `${its.shade} ${its.state}` : "none absent";
    }
  }
  const rows = Object.fromEntries([...body.rows].map((row) => [row.dataset.method, row]));
  for (const method of view.order) {
    rows[method].hidden = !shown(method);
    rows[method].querySelector(".behind").textContent = view.behind[method];
    body.querySelector(".chance").before(rows[method]);
  }
  const metrics = [...new Set(DATA.datasets.filter((set) => set.main).map(metricOf))];
  map.classList.toggle("metrics", metrics.length > 1);
  document.querySelector(".unit b").textContent = metrics.length > 1 ? "each data set’s own metric" : DATA.units[metrics[0]];
  drawFront();
  for (const name of all("thead .n", map)) name.textContent = DATA.units[metricOf(SETS[name.closest("th").dataset.dataset])];
  rove(all("tr:not([hidden]) td[data-top]", body).find(inView));
}

/** Whether a cell is of the tops shown. */
const inView = (cell) => Boolean(cell.dataset.top) && getComputedStyle(cell).display !== "none";

function rove(cell) {
  for (const other of all("td[tabindex]", map)) other.removeAttribute("tabindex");
  if (cell) cell.tabIndex = 0;
}

function tellCell(cell) {
  const { dataset, top } = cell.dataset, { method } = cell.parentNode.dataset, judged = judgedAt(SETS[dataset], top);
  pointAt(method);
  tell(method ? tipOf(judged, top, method) : `Expected ${metricOf(SETS[dataset])} of a random order`, cell);
}

function walk(cell, event) {
  const rows = [...map.tBodies[0].rows].filter((row) => !row.hidden), y = rows.indexOf(cell.parentNode);
  const keys = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [], " ": [] };
  if (!(event.key in keys)) return;
  event.preventDefault();
  const [down, right] = map.matches(".turned") ? keys[event.key].toReversed() : keys[event.key];
  if (down === undefined) cell.click();
  const [here, there] = [cell.parentNode, rows[y + down]].map((row) => [...row?.cells ?? []].filter(inView));
  const next = there[here.indexOf(cell) + right];
  if (!next) return;
  rove(next);
  next.focus();
}

/** On paper a map of more columns than a sheet has room for stands in parts, one below the other. */
function divide() {
  for (const part of all(".part")) part.remove();
  const lines = (table) => (table.matches(".turned") ? [[...table.tBodies[0].rows]] : [...table.rows].map((row) => all("[data-at]", row)));
  const seen = lines(map)[0].flatMap((line, i) => (getComputedStyle(line).display === "none" ? [] : [i]));
  const longest = Math.max(...all("tbody [data-at]", map).map((cell) => cell.textContent.length));
  const size = Math.ceil(seen.length / Math.ceil(seen.length * (6 + 5.2 * longest) / 480));
  for (let i = 0; size < seen.length && i < seen.length; i += size) {
    const part = map.cloneNode(true), inside = seen.slice(i, i + size);
    for (const line of lines(part)) line.forEach((cell, j) => inside.includes(j) || cell.remove());
    Object.assign(part, { id: `part-${i}`, className: `${map.className.replace(/ (packed|crowded)/g, "")} part` });
    part.style.setProperty("--columns", inside.length);
    map.parentNode.append(part);
  }
}

if (map) {
  const onCell = (act) => (event) => {
    const cell = event.target.closest("td[data-top]");
    if (cell) act(cell, event);
  };
  for (const event of ["mouseover", "focusin"]) map.addEventListener(event, onCell(tellCell));
  for (const event of ["mouseleave", "focusout"]) map.addEventListener(event, () => pointAt());
  map.addEventListener("click", onCell(({ dataset: { dataset, top } }) => {
    location.hash = address(SETS[dataset].anchor, top);
  }));
  map.addEventListener("keydown", onCell(walk));
  home.addEventListener("change", ({ target }) => { if (target.name === "place") change({ place: target.value }); });
}
