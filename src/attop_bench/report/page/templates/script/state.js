// What is shown lives in the address: #data-set/top/metric/-method,-method/vs=method
var state = { tab: "overview", top: "", metric: "", off: [], against: "" };
var form = document.getElementById("filters");

function each(selector, inside, act) { Array.prototype.forEach.call((inside || document).querySelectorAll(selector), act); }
function make(tag, attributes, text) {
  var e = document.createElement(tag);
  Object.keys(attributes || {}).forEach(function (a) { e.setAttribute(a, attributes[a]); });
  if (text !== undefined) e.textContent = text;
  return e;
}
function key(method) {
  var box = form.querySelector('input[name="method"][value="' + CSS.escape(method) + '"]');
  return box.parentNode.querySelector(".key").cloneNode(true);
}
function fixed(x, places) {
  if (x === null || x === undefined || !isFinite(x)) return "–";
  // As Python rounds: exact ties to the value that is nearer in binary, which toLocaleString does not do.
  var text = Number(Math.abs(x).toPrecision(8)).toFixed(places).replace(/^\d+/, function (whole) { return Number(whole).toLocaleString("en"); });
  return (x < 0 && Number(text.replace(/,/g, "")) !== 0 ? "−" : "") + text;
}
function fine(x) { return Math.abs(x) > 0 && Math.abs(x) < 1e-3 ? String(Number(x.toPrecision(1))) : fixed(x, 3); }
// A difference with its sign, which rounding does not take away.
function signed(x, places) {
  if (!isFinite(x)) return "–";
  return Math.abs(x) < 1e-12 ? "0" : (x > 0 ? "+" : "−") + fixed(Math.abs(x), places);
}
function brief(x) { return fixed(x, Math.abs(x) < 10 ? 2 : 1).replace(/^0\./, "."); }
function listed(names) { return names.length < 2 ? names.join("") : names.slice(0, -1).join(", ") + " and " + names[names.length - 1]; }
function counted(n, noun) { return n + " " + noun + (n === 1 ? "" : "s"); }
function titlesOf(methods) { return methods.map(function (m) { return TITLES[m]; }); }
function probability(p) { return p < 0.001 ? "< 0.001" : p > 0.99 ? "> 0.99" : "= " + p.toFixed(p >= 0.1 ? 2 : 3); }
function chance(p) { return p === undefined ? "–" : p < 0.001 ? "< 0.001" : p > 0.999 ? "> 0.999" : p.toFixed(3); }
function duration(s) {
  if (s === null || s === undefined) return "–";
  var units = [[1e-3, "µs", 1e-6], [1, "ms", 1e-3], [120, "s", 1], [7200, "min", 60], [Infinity, "h", 3600]];
  var u = units.filter(function (x) { return s < x[0]; })[0], v = s / u[2];
  return (v >= 9.95 ? Math.round(v).toLocaleString("en") : v.toFixed(1)) + " " + u[1];
}

function metricOf(set) { return state.metric || set.metric; }
function shown(methods) { return methods.filter(function (m) { return state.off.indexOf(m) < 0; }); }
function untouched() { return state.metric === "" && state.off.length === 0; }
function tabs() { return Array.prototype.map.call(document.querySelectorAll("section.tab"), function (s) { return s.id; }); }

function read() {
  var parts = location.hash.slice(1).split("/").map(decodeURIComponent), place = parts[0] || "overview";
  var e = document.getElementById(place), section = e && e.closest("section.tab");
  if (!section) { place = "overview"; section = document.getElementById(place); parts = []; }
  state.tab = section.id;
  var whole = parts.length > 1, against = parts.filter(function (p) { return p.indexOf("vs=") === 0; })[0];
  parts = parts.filter(function (p) { return p !== against; });
  var set = setOf(state.tab);
  state.top = set && set.tops.indexOf(parts[1]) >= 0 ? parts[1] : set ? set.main : "";
  if (whole) {  // a bare name changes nothing but the place
    state.metric = DATA.metrics[parts[2]] ? parts[2] : "";
    state.against = against && TITLES[against.slice(3)] ? against.slice(3) : "";
    state.off = (parts[3] || "").split(",").filter(function (m) { return m[0] === "-" && TITLES[m.slice(1)]; }).map(function (m) { return m.slice(1); });
  }
  return place === state.tab ? null : e;
}
function address(tab, top) {
  var parts = [tab, top || "", state.metric, state.off.map(function (m) { return "-" + m; }).join(",")];
  while (parts.length > 1 && !parts[parts.length - 1]) parts.pop();
  if (state.against) parts.push("vs=" + state.against);
  return "#" + parts.map(function (p) { return encodeURIComponent(p).replace(/%2C/g, ",").replace(/%40/g, "@").replace(/%3D/g, "="); }).join("/");
}
function write() { history.replaceState(null, "", address(state.tab, state.top)); }
function setOf(tab) { return DATA.datasets.filter(function (d) { return d.anchor === tab; })[0]; }
