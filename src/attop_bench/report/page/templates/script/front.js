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

/** A picture that on paper shrinks as a whole. */
const framed = (label, width, height) => drawn("svg", { role: "img", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMinYMin meet", "aria-label": label });

const keyAt = (method, x, y) => drawn("g", { transform: `translate(${x} ${y}) scale(5.5)` }, named(method)[0].firstElementChild);
const pointOf = (method, loud, ...parts) => drawn("g", { class: `point ${loud.includes(method) ? "" : "quiet"}`, "data-m": method, style: `--own: ${colourOf(method)}` }, ...parts);

function drawFront() {
  const view = DATA.overview[state.metric][placeOf()], names = view.order.filter(shown);
  const rows = names.map((method) => ({ method, lost: parseFloat(view.behind[method]), time: DATA.seconds[method], ends: view.between[method] }));
  const points = rows.filter(({ lost }) => lost >= 0), timed = points.every(({ time }) => time > 0), missing = rows.length - points.length;
  const unit = document.querySelector(".unit b").textContent === "precision@k" ? "hits of 100" : "hundredths of the metric";
  const front = plot.parentNode, loud = [...view.highlighted, DATA.baseline, state.against], least = points.length > 1 ? " Dashed: nothing better takes less." : "";
  front.parentNode.classList.toggle("bare", !points.length);
  front.querySelector("h3").textContent = view.finding;
  front.querySelector(".said").textContent = (timed
    ? `Height: ${unit} behind the best, mean over the data sets. Width: time of a job, tuning included.${least}`
    : `Marks: ${unit} behind the best, mean over the data sets. ${points[0]?.ends ? "Lines: 95% interval, bootstrap over the data sets." : "Fewer data sets than an interval takes."}`)
    + (missing ? ` Values are missing, and with them the place of ${missing} of ${rows.length} methods.` : "");
  plot.classList.toggle("rows", !timed);
  plot.style.setProperty("--methods", points.length);
  const sheet = [680, timed ? 400 : 34 + Math.max(120, 20 * points.length)];
  const [width, height] = paper.matches ? sheet : [plot.clientWidth, plot.clientHeight];
  if (!points.length || !width) return plot.replaceChildren();
  plot.replaceChildren((timed ? againstTime : inRows)(points, loud, width, height));
}

/** Without times: a row a method, its mean and interval. */
function inRows(points, loud, width, height) {
  const most = 1.04 * Math.max(1, ...points.map(({ lost, ends }) => ends?.[1] ?? lost)), pitch = (height - 34) / points.length;
  const svg = framed("Distance to the best; the numbers are in the map", width, height), left = Math.min(0.45 * width, 8 + 6.7 * Math.max(...points.map(({ method }) => TITLES[method].length)));
  const x = (lost) => left + 12 + (width - left - 24) * lost / most, fits = Math.floor(left / 6.7);
  for (const t of ticksOf(0, most).ticks) svg.append(drawn("path", { d: `M${x(t)} 2V${height - 30}` }), drawn("text", { class: "scale", x: x(t), y: height - 14, "text-anchor": "middle" }, +t.toFixed(6)));
  points.forEach(({ method, lost, ends }, i) => {
    const y = (i + 0.5) * pitch, name = TITLES[method], short = name.length > fits ? `${name.slice(0, fits - 1)}…` : name;
    svg.append(pointOf(method, loud, drawn("rect", { y: i * pitch, width, height: pitch, fill: "transparent" }), drawn("text", { x: left, y: y + 4, "text-anchor": "end" }, short), drawn("path", { class: "interval", d: ends ? `M${x(ends[0])} ${y}H${x(ends[1])}` : "" }), drawn("circle", { cx: x(lost), cy: y, r: 8 }), keyAt(method, x(lost), y)));
  });
  return svg;
}

function againstTime(points, loud, width, height) {
  const times = points.map(({ time }) => time), most = Math.max(1, ...points.map(({ lost }) => lost)) * 1.06;
  const room = Math.max(2, Math.sqrt(60 * Math.min(...times) / Math.max(...times)));
  const [low, high] = [Math.min(...times) / room, Math.max(...times) * room], x = (time) => 42 + (width - 54) * Math.log(time / low) / Math.log(high / low), y = (lost) => 12 + (height - 46) * lost / most;
  const svg = framed("Distance to the best against time; the numbers are in the map and under Cost", width, height);
  for (const t of ticksOf(0, most).ticks) svg.append(drawn("path", { d: `M42 ${y(t)}H${width}` }), drawn("text", { class: "scale", x: 34, y: y(t) + 4, "text-anchor": "end" }, +t.toFixed(6)));
  for (const [i, mark] of MARKS.entries()) if (mark >= low && mark <= high)
    svg.append(drawn("path", { d: `M${x(mark)} 6V${height - 30}` }), drawn("text", { class: "scale", x: x(mark), y: height - 14, "text-anchor": "middle" }, NAMES[i]));
  const best = points.toSorted((a, b) => a.time - b.time || a.lost - b.lost).filter(({ lost }, i, all) => all.slice(0, i).every((other) => other.lost > lost));
  svg.append(drawn("path", { class: "least", d: best.map((p, i) => (i ? `H${x(p.time)}V${y(p.lost)}` : `M${x(p.time)} ${y(p.lost)}`)).join("") }));
  const pen = document.createElement("canvas").getContext("2d"), taken = points.map(({ time, lost }) => [x(time) - 6, y(lost) - 6, x(time) + 6, y(lost) + 6]);
  const stairs = best.slice(1).flatMap((p, i) => [[x(best[i].time), y(best[i].lost) - 1, x(p.time), y(best[i].lost) + 1], [x(p.time) - 1, y(p.lost), x(p.time) + 1, y(best[i].lost)]]);
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  for (const { method, lost, time } of points) {
    const [cx, cy] = [x(time), y(lost)], text = TITLES[method], size = pen.measureText(text), place = placed(size, cx, cy, [...taken, ...stairs], width) ?? placed(size, cx, cy, taken, width);
    if (place) taken.push(place.box);
    svg.append(pointOf(method, loud, drawn("circle", { cx, cy, r: 9 }), keyAt(method, cx, cy), ...(place ? [drawn("text", place.at, text)] : [])));
  }
  return svg;
}

function pointAt(method, at) {
  for (const row of all("tr[data-method]", map)) row.classList.toggle("on", row.dataset.method === method);
  for (const point of all(".point", plot)) point.classList.toggle("on", point.dataset.m === method);
  tell(at ? `${TITLES[method]}: ${DATA.overview[state.metric][placeOf()].behind[method]} behind` : "", at);
}

if (plot) {
  plot.addEventListener("mouseover", ({ target }) => {
    const point = target.closest(".point");
    pointAt(point?.dataset.m, point);
  });
  plot.addEventListener("mouseleave", () => pointAt());
  new ResizeObserver(() => drawFront()).observe(plot);
}
