// Beside the map: what each method is behind the best, against its time. Map and picture point at each other.
const plot = document.querySelector(".plot");
const MARKS = [1e-3, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 345600];
const NAMES = ["1 ms", "10 ms", "0.1 s", "1 s", "10 s", "1 min", "10 min", "1 h", "10 h", "4 days"];

/** The first place beside a point where its name covers nothing. */
function placed(name, x, y, taken, width) {
  for (const [dx, dy, anchor] of [[9, 4, "start"], [-9, 4, "end"], [0, -9, "middle"], [0, 18, "middle"], [7, -8, "start"], [7, 16, "start"], [-7, -8, "end"], [-7, 16, "end"]]) {
    const left = x + dx - { start: 0, middle: name.width / 2, end: name.width }[anchor], top = y + dy - 11;
    const box = [left, top, left + name.width, top + 14];
    const free = taken.every(([l, t, r, b]) => box[0] >= r || box[2] <= l || box[1] >= b || box[3] <= t);
    if (free && left >= 42 && box[2] <= width) return { box, at: { x: x + dx, y: y + dy, "text-anchor": anchor } };
  }
  return null;
}

function drawFront() {
  const view = DATA.overview[state.metric][placeOf()];
  const rows = view.order.filter(shown).map((method) => ({ method, lost: parseFloat(view.behind[method]), time: DATA.seconds[method] }));
  const points = rows.filter(({ lost, time }) => lost >= 0 && time > 0), [width, height] = [plot.clientWidth, plot.clientHeight];
  const unit = document.querySelector(".unit b").textContent === "precision@k" ? "hits of 100" : "hundredths of the metric";
  const missing = rows.length - points.length;
  document.querySelector(".front .said").textContent = `Height: ${unit} behind the best, mean over the data sets. Width: time of a job, tuning included. ${points.length > 1 ? "Dashed: nothing better takes less." : ""}${missing ? ` ${missing} of ${rows.length} methods have no place here: no time, or values that are missing.` : ""}`;
  if (!points.length || !width) return plot.replaceChildren();
  const times = points.map(({ time }) => time), most = Math.max(1, ...points.map(({ lost }) => lost)) * 1.06;
  const room = Math.max(2, Math.sqrt(60 * Math.min(...times) / Math.max(...times)));
  const [low, high] = [Math.min(...times) / room, Math.max(...times) * room];
  const x = (time) => 42 + (width - 54) * Math.log(time / low) / Math.log(high / low), y = (lost) => 12 + (height - 46) * lost / most;
  const svg = drawn("svg", { role: "img", "aria-label": "Distance to the best against time; the numbers are in the map and under Cost" });
  const { ticks } = ticksOf(0, most);
  for (const t of ticks) svg.append(drawn("path", { d: `M42 ${y(t)}H${width}` }), drawn("text", { class: "scale", x: 34, y: y(t) + 4, "text-anchor": "end" }, +t.toFixed(6)));
  MARKS.forEach((mark, i) => {
    if (mark < low || mark > high) return;
    svg.append(drawn("path", { d: `M${x(mark)} 6V${height - 30}` }), drawn("text", { class: "scale", x: x(mark), y: height - 14, "text-anchor": "middle" }, NAMES[i]));
  });
  const best = points.toSorted((a, b) => a.time - b.time || a.lost - b.lost).filter(({ lost }, i, all) => all.slice(0, i).every((other) => other.lost > lost));
  svg.append(drawn("path", { class: "least", d: best.map((p, i) => (i ? `H${x(p.time)}V${y(p.lost)}` : `M${x(p.time)} ${y(p.lost)}`)).join("") }));
  const pen = document.createElement("canvas").getContext("2d"), taken = points.map(({ time, lost }) => [x(time) - 6, y(lost) - 6, x(time) + 6, y(lost) + 6]);
  const loud = [...view.highlighted, DATA.baseline, state.against];
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  for (const { method, lost, time } of points) {
    const at = { cx: x(time), cy: y(lost) }, text = TITLES[method], place = placed(pen.measureText(text), at.cx, at.cy, taken, width);
    const key = named(method)[0].firstElementChild.cloneNode();
    key.setAttribute("transform", `translate(${at.cx} ${at.cy}) scale(5.5)`);
    const point = drawn("g", { class: `point ${loud.includes(method) ? "" : "quiet"}`, "data-m": method }, drawn("circle", { ...at, r: 9 }), key);
    if (place) {
      taken.push(place.box);
      point.append(drawn("text", place.at, text));
    }
    svg.append(point);
  }
  plot.replaceChildren(svg);
}

function pointAt(method, at) {
  for (const row of all("tr[data-method]", map)) row.classList.toggle("on", row.dataset.method === method);
  for (const point of all(".point", plot)) point.classList.toggle("on", point.dataset.m === method);
  if (at) tell(`${TITLES[method]}: ${DATA.overview[state.metric][placeOf()].behind[method]} behind`, at);
}

if (plot) {
  plot.addEventListener("mouseover", ({ target }) => {
    const point = target.closest(".point");
    pointAt(point?.dataset.m, point);
    if (!point) tell("");
  });
  plot.addEventListener("mouseleave", () => { pointAt(); tell(""); });
  new ResizeObserver(() => drawFront()).observe(plot);
}
