// One data set at one top: the strip of runs, the verdict, the tests and the table.
function ticksOf(low, high) {
  const step = 10 ** Math.floor(Math.log10(high - low));
  for (const size of [5, 2, 1, 0.5, 0.2].map((s) => s * step)) {
    const first = Math.ceil(low / size - 1e-9), count = Math.floor(high / size + 1e-9) - first + 1;
    if (count >= 3) return { size, ticks: Array.from({ length: count }, (_, i) => (first + i) * size) };
  }
  return { size: 1, ticks: [] };
}

/** What is drawn of a method: a value a run, their mean, and its interval, which differences lack. */
function drawnOf(judged, method) {
  const { runs, mean, low, high } = judged.cells[method], other = judged.cells[state.against];
  if (!state.against) return { runs: runs.filter((x) => x !== null), mean, ends: low === null ? null : [low, high] };
  const differences = runs.map((x, i) => (x === null || (other?.runs[i] ?? null) === null ? null : x - other.runs[i]));
  return { runs: differences.filter((x) => x !== null), mean: gap(judged, method), ends: null };
}

function rangeOf(values, [least, most]) {
  const low = Math.min(...values), high = Math.max(...values), room = high - low || 0.1 * Math.abs(high) || 1;
  const ends = state.against ? [-Infinity, Infinity] : [least ?? -Infinity, most ?? Infinity];
  return [Math.max(low - 0.04 * room, ends[0] - 0.02 * room), Math.min(high + 0.04 * room, ends[1] + 0.02 * room)];
}

function fillStrip(section, view, judged) {
  const methods = judged.order.filter(shown), drawn = methods.map((method) => drawnOf(judged, method));
  const [low, high] = rangeOf(drawn.flatMap(({ runs, ends }) => [...runs, ...ends ?? []]), view.bounds);
  const { size, ticks } = Number.isFinite(low) ? ticksOf(low, high) : { size: 1, ticks: [] };
  const places = Math.max(0, -Math.floor(Math.log10(size) + 1e-9));
  const part = (x) => `${(100 * x / (high - low)).toFixed(2)}%`;
  const at = (x, look) => make("i", { class: look, style: `left:${part(x - low)}` });
  const rows = methods.map((method, i) => {
    const { runs, mean, ends } = drawn[i], cell = judged.cells[method];
    const grid = ticks.map((t) => at(t, state.against && Math.abs(t) < 1e-9 ? "grid zero" : "grid"));
    const line = make("span", { class: "line", "aria-hidden": "true" }, ...grid, ...runs.map((x) => at(x, "dot")));
    if (ends) {
      const bar = at(ends[0], "bar");
      bar.style.width = part(ends[1] - ends[0]);
      line.append(bar);
    }
    if (Number.isFinite(mean)) line.append(at(mean, "mean"));
    const name = make("span", { class: "name" }, ...named(method, cell.signs));
    const value = make("span", { class: "value" }, state.against ? signed(mean, view.places) : cell.text.length < 8 ? cell.text : cell.brief);
    return make("li", { "data-m": method, class: cell.state, style: `--own: ${colourOf(method)}` }, name, line, value);
  });
  // On a phone the scale is some 150 pixels wide, and not all numbers have room.
  const longest = Math.max(...ticks.map((t) => plain(t, places).length));
  const every = Math.ceil((7 * longest + 5) * (high - low) / (150 * size));
  const scale = make("span", { class: "line" });
  ticks.forEach((t, i) => {
    const number = at(t, i % every ? "spare" : "");
    number.append(plain(t, places));
    scale.append(number);
  });
  const axis = make("li", { class: "axis", "aria-hidden": "true" }, make("span"), scale, make("span"));
  section.querySelector(".strip").replaceChildren(...rows, axis);
  section.querySelector(".stripnote").textContent = judged.note;
}

function fillCard(section, top, judged) {
  const card = section.querySelector(".card");  // the others, of other tops, are for readers without a script
  card.dataset.top = top;
  const fill = ([name, text]) => all(`.${name}`, card).forEach((place) => { place.textContent = text; });
  Object.entries(judged.card).forEach(fill);
  card.querySelector(".verdict").dataset.kind = judged.card.verdict;
}

function fillSection(section, set, top) {
  const view = set.views[metricOf(set)], judged = view?.tops[top];
  if (!section.querySelector(".strip")) return;
  section.querySelector(".live-part").hidden = !judged;
  section.querySelector(".no-value").hidden = Boolean(judged);
  for (const button of all(".tops button", section)) button.ariaPressed = String(button.dataset.top === top);
  section.judged = judged;
  if (!judged) return;
  fillCard(section, top, judged);
  fillStrip(section, view, judged);
  const tests = judged.tests.filter(([method]) => shown(method));
  section.querySelector(".tests .scroll").replaceChildren(table(DATA.tests, tests, judged.about));
  const rows = view.order.filter(shown).map((method) => [method, ...set.tops.map((t) => {
    const cell = view.tops[t]?.cells[method];
    if (!cell) return { text: "–" };
    if (!state.against) return { ...cell, value: cell.mean };
    const by = gap(view.tops[t], method);
    return { ...cell, value: Number.isFinite(by) ? by : "", text: signed(by, view.places), pm: "" };
  })]);
  const caption = view.caption.map((text, i) => make("span", { class: i === 1 ? "pm" : "" }, text));
  section.querySelector(".wide").replaceChildren(table(["Method", ...set.tops], rows, ...caption));
}

function usable(section) {
  const strip = section.querySelector(".strip"), set = setOf(section.id);
  if (!strip) return;
  const onClick = (selector, act) => all(selector, section).forEach((button) => button.addEventListener("click", () => act(button.dataset)));
  onClick(".tops button", ({ top }) => change({ top }));
  onClick(".exports button", ({ format }) => exportTable(set, format));
  let place = -1;
  function point(i) {
    const rows = all("li[data-m]", strip);
    place = Math.max(-1, Math.min(i, rows.length - 1));
    rows.forEach((row, j) => row.classList.toggle("on", j === place));
    if (place < 0) tell("");
    else tell(tipOf(section.judged, state.top, rows[place].dataset.m), rows[place].querySelector(".line"));
  }
  strip.addEventListener("mouseover", (event) => {
    const row = event.target.closest("li[data-m]");
    if (row) point([...strip.children].indexOf(row));
  });
  strip.addEventListener("mouseleave", () => point(-1));
  strip.addEventListener("focus", () => { if (place < 0) point(0); });
  strip.addEventListener("blur", () => point(-1));
  onArrows(strip, (step) => point(Math.max(0, place + step)));
}
