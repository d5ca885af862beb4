// The data, what is shown of them, and small helpers. The address holds the state:
// #data-set/top/metric/-method,-method/vs=method; of the overview the top is the number of its button.
const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
const DATA = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
for (const [id, html] of Object.entries(DATA.late)) document.getElementById(id).outerHTML = html;
const TITLES = Object.fromEntries(DATA.methods);
const SETS = Object.fromEntries(DATA.datasets.map((set) => [set.id, set]));
const home = document.querySelector("section.tab");
const state = { tab: home.id, top: "", metric: "", off: [], against: "", place: "" };
const form = document.getElementById("filters");
const tip = document.getElementById("tip");
const paper = matchMedia("print");

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

const maker = (create) => (tag, attributes = {}, ...children) => {
  const element = create(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const make = maker((tag) => document.createElement(tag));
const drawn = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

/** Arrow keys walk: down and right to the next, up and left to the one before. */
const onArrows = (element, walk) => element.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step && walk(step, event.target) !== false) event.preventDefault();
});

function named(method, ...more) {
  const box = form.querySelector(`input[name="method"][value="${CSS.escape(method)}"]`);
  return [box.parentNode.querySelector(".key").cloneNode(true), TITLES[method], ...more];
}

/** The one colour of a method, grey where it is quiet. */
const colourOf = (method) => document.getElementById(`key-${DATA.methods.findIndex(([id]) => id === method)}`).firstChild.style.fill;

/** A number with so many places; from ten thousand on, of three figures and the sign of its size. */
const large = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const sized = (x) => large.format(x).replace("K", "k").replace("B", "bn");
const plain = (x, places) => (Math.abs(x) < 1e4 ? x.toFixed(places) : sized(x)).replace("-", "−");

/** A difference with its sign, which rounding does not take away. */
function signed(x, places = 3) {
  if (!Number.isFinite(x)) return "·";
  return x === 0 ? "0" : (x > 0 ? "+" : "−") + plain(Math.abs(x), places);
}

const shown = (method) => !state.off.includes(method);
const setOf = (tab) => DATA.datasets.find((set) => set.anchor === tab);
const metricOf = (set) => state.metric || set.metric;
const placeOf = () => (state.place in DATA.overview[""] ? state.place : DATA.middle);
const judgedAt = (set, top) => set.views[metricOf(set)]?.tops[top];

/** A method's mean minus that of the method others are set against; NaN unless both have every run. */
function gap(judged, method) {
  const [own, other] = [judged.cells[method], judged.cells[state.against]];
  return own && other && ![...own.runs, ...other.runs].includes(null) ? own.mean - other.mean : NaN;
}

/** Take the state from the address; return the element to scroll to, if it names one inside a tab. */
function read() {
  let [place, ...parts] = location.hash.slice(1).split("/").map(decodeURIComponent);
  let element = document.getElementById(place || home.id);
  if (!element?.closest("section.tab")) [place, parts, element] = [home.id, [], home];
  state.tab = element.closest("section.tab").id;
  const whole = parts.length > 0;  // a bare name changes nothing but the place
  const against = parts.find((part) => part.startsWith("vs="));
  const [top, metric, off] = parts.filter((part) => part !== against);
  const set = setOf(state.tab);
  state.top = set?.tops.includes(top) ? top : set?.main ?? "";
  if (whole) {
    state.metric = metric in DATA.overview ? metric : "";
    state.against = against?.slice(3) in TITLES ? against.slice(3) : "";
    if (!set) state.place = top;
    state.off = (off ?? "").split(",").map((name) => name.slice(1)).filter((name) => name in TITLES);
  }
  return element.id === state.tab ? null : element;
}

function address(tab, top) {
  const parts = [tab, tab === home.id && !setOf(tab) ? state.place : top, state.metric, state.off.map((method) => `-${method}`).join(",")];
  while (parts.length > 1 && !parts.at(-1)) parts.pop();
  if (state.against) parts.push(`vs=${state.against}`);
  return `#${parts.map(encodeURIComponent).join("/").replace(/%(2C|40|3D)/g, decodeURIComponent)}`;
}

function tell(text, at) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { left, top, bottom } = at.getBoundingClientRect(), [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  tip.style.top = `${bottom + height + 12 > innerHeight ? top - height - 6 : bottom + 6}px`;
}

function tipOf(judged, top, method) {
  const cell = judged?.cells[method];
  if (!cell) return `${TITLES[method]}: no value`;
  const words = [`${TITLES[method]}, ${top}: ${cell.tip}`];
  if (state.against && state.against !== method) {
    const by = gap(judged, method);
    words.push(`${Number.isFinite(by) ? signed(by) : "with fewer runs, not set"} against ${TITLES[state.against]}`);
  }
  return words.join("; ");
}
