// The map of methods on data sets and tops, its headline, and walking it by keyboard.
var map = document.getElementById("map");
var headline = document.getElementById("headline");
var HEADLINE = headline.textContent;
var tip = document.getElementById("tip");

function fillMap() {
  if (!map) return;
  var methods = shown(DATA.methods.map(function (m) { return m.id; })), leads = {}, every = [];
  each("thead th.top", map, function (head) {
    var set = SETS[head.dataset.dataset], lead = compare(set, head.dataset.top, metricOf(set), methods);
    leads[set.id + " " + head.dataset.top] = lead;
    every.push(lead);
  });
  var found = untouched() ? { ranks: DATA.ranks } : meanRanks(metricOf, methods);
  var body = map.tBodies[0], rows = [];
  each("tr", body, function (row) {
    var method = row.dataset.method;
    each("td[data-top]", row, function (cell) {
      var lead = leads[cell.dataset.dataset + " " + cell.dataset.top], set = lead.set;
      if (!method) {
        var by = set.chance[lead.metric];
        var other = defined(valuesOf(set, lead.metric, lead.top)[state.against] || []);
        cell.textContent = by === undefined ? "·" : !state.against ? brief(by) : other.length ? briefly(by - mean(other)) : "·";
        return;
      }
      var its = lead.cells && lead.cells[method];
      cell.textContent = !its ? "·" : state.against ? briefly(mean(defined(against(lead, method)))) : brief(its.entry.mean);
      cell.className = its ? (its.shade < 0 ? "none " : "s" + its.shade + " ") + its.state : "none absent";
    });
    if (!method) return;
    row.hidden = methods.indexOf(method) < 0;
    var rank = found.ranks[method];
    row.querySelector(".rank").textContent = fixed(rank, 1);
    rows.push({ row: row, rank: rank === null || rank === undefined || row.hidden ? Infinity : rank, i: rows.length });
  });
  rows.sort(function (a, b) { return a.rank === b.rank ? a.i - b.i : a.rank - b.rank; });
  var last = body.querySelector(".chance");
  rows.forEach(function (r) { body.insertBefore(r.row, last); });
  each("thead .n", map, function (n) { n.textContent = metricOf(SETS[n.parentNode.dataset.dataset]); });
  headline.textContent = untouched() ? HEADLINE : sentence(found, every);
  map.leads = leads;
  map.leaders = untouched() ? DATA.leaders : bestRanked(found.ranks);
  rove(map.querySelector("tbody td[data-top]:not([hidden])"));
}

function against(lead, method) { return differences(lead.set, lead.metric, lead.top, method, state.against); }
function briefly(x) { return isFinite(x) ? signed(x, Math.abs(x) < 10 ? 2 : 1).replace(/^([+−])0\./, "$1.") : "·"; }
function bestRanked(ranks) {
  var methods = Object.keys(ranks), first = Math.min.apply(null, methods.map(function (m) { return ranks[m]; }));
  return methods.filter(function (m) { return ranks[m] - first <= 1e-9; });
}

function sentence(found, every) {
  var ranked = Object.keys(found.ranks), best = bestRanked(found.ranks), said = [];
  var compared = every.filter(function (l) { return l.next; });
  if (ranked.length > 1 && found.n > 1) {
    var over = counted(found.n, "data set");
    said.push(best.length === ranked.length ? "All " + ranked.length + " methods rank alike over " + over + "."
      : named(best) + (best.length === 1 ? " ranks" : " rank") + " best over " + over
        + ", at the middle top of each (mean rank " + fixed(found.ranks[best[0]], 1) + " of " + counted(ranked.length, "method") + ")" + mostOften(best, compared) + ".");
  }
  var won = compared.filter(function (l) { return l.verdict === "better"; }).length;
  var tops = compared.length > 1 ? "the " + compared.length + " tops" : "the one top";
  said.push(!compared.length ? "No two methods can be compared."
    : won ? "At " + won + " of " + tops + " the leader is shown to be ahead of the runner-up."
    : "At none of " + tops + " is the leader shown to be ahead of the runner-up.");
  if (state.metric) said.push("By " + state.metric + ".");
  return said.join(" ");
}

function named(methods) { return methods.length <= 3 ? listed(titlesOf(methods)) : methods.length + " methods"; }
// Which methods have the best mean at the most tops, and at how many those that rank best have it.
function mostOften(first, compared) {
  var times = {};
  DATA.methods.forEach(function (m) { times[m.id] = compared.filter(function (l) { return l.cells[m.id] && l.cells[m.id].state === "best"; }).length; });
  var most = Math.max.apply(null, Object.keys(times).map(function (m) { return times[m]; }));
  if (!most) return "";
  var often = Object.keys(times).filter(function (m) { return times[m] === most; });
  var at = "the best mean, at " + most + " of " + counted(compared.length, "top") + (often.length > 1 ? " each" : "");
  function without(a, b) { return a.filter(function (m) { return b.indexOf(m) < 0; }); }
  function have(methods) { return " most often " + (methods.length === 1 ? "has " : "have ") + at; }
  var more = without(often, first), rest = without(first, often);
  var its = rest.length && first.length <= 3 ? " (" + rest.map(function (m) { return TITLES[m] + " at " + (times[m] || "none"); }).join(", ") + ")" : "";
  if (!more.length && !rest.length) return " and" + have(often);
  if (!more.length) return ", of which " + named(often) + have(often) + its;
  if (!rest.length) return " and, with " + named(more) + "," + have(first);
  return ", but " + named(often) + have(often) + its;
}

function tell(text, at) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  var r = at.getBoundingClientRect(), w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(8, Math.min(r.left, innerWidth - w - 8)) + "px";
  tip.style.top = (r.bottom + h + 12 > innerHeight ? r.top - h - 6 : r.bottom + 6) + "px";
}
function entryText(lead, method) {
  var e = lead.cells && lead.cells[method], set = lead.set, last = "";
  if (!e) return TITLES[method] + ": no value";
  var its = e.entry, se = its.std / Math.sqrt(its.n);
  if (e.state === "level") last = "; not told apart from the best";
  if (e.state === "best") last = "; the best";
  if (e.state === "untested") last = "; not tested against the best";
  if (e.state === "unranked") last = "; fewer runs than others, not ranked";
  var by = set.chance[lead.metric], k = /^k=(\d+)$/.exec(lead.top);
  if (lead.metric === "precision@k" && k) last += "; " + Math.round(its.mean * k[1] * 10) / 10 + " of the top " + k[1];
  if (by > 0 && by < 0.2 && lead.metric === "precision@k") last += ", " + (its.mean / by).toFixed(1) + " times a random order";
  if (set.edge.indexOf(method) >= 0) last += "; mostly at an edge of its grid";
  if (state.against && state.against !== method) {
    var d = defined(against(lead, method));
    last += d.length ? "; " + signed(mean(d), 3) + " against " + TITLES[state.against] + ", in " + counted(d.length, "run")
      : "; " + TITLES[state.against] + " has no value to set it against";
  }
  var flat = set.constant[lead.top][method];
  if (flat) last += "; ranks nothing in " + flat + " of " + counted(lead.m, "run");
  return TITLES[method] + ", " + lead.top + ": " + lead.metric + " " + fixed(its.mean, 3)
    + (isFinite(se) ? " ± " + fixed(se, 3) : "") + " (" + (its.n === lead.m ? counted(its.n, "run") : its.n + " of " + counted(lead.m, "run")) + ")" + last;
}
function rove(cell) {
  if (!cell) return;
  each("td[tabindex]", map, function (c) { c.removeAttribute("tabindex"); });
  cell.tabIndex = 0;
}
function tellCell(cell) {
  var row = cell.closest("tr"), lead = map.leads[cell.dataset.dataset + " " + cell.dataset.top];
  tell(row.dataset.method ? entryText(lead, row.dataset.method) : "Expected " + lead.metric + " of a random order", cell);
}
if (map) {
  var onCell = function (act) { return function (e) { var c = e.target.closest("td[data-top]"); if (c) act(c, e); }; };
  map.addEventListener("mouseover", onCell(tellCell));
  map.addEventListener("mouseleave", function () { tell(""); });
  map.addEventListener("focusin", onCell(tellCell));
  map.addEventListener("focusout", function () { tell(""); });
  map.addEventListener("click", onCell(function (c) { location.hash = address(SETS[c.dataset.dataset].anchor, c.dataset.top); }));
  map.addEventListener("keydown", onCell(function (c, e) {
    var rows = Array.prototype.filter.call(map.tBodies[0].rows, function (r) { return !r.hidden; });
    var y = rows.indexOf(c.parentNode), x = c.cellIndex;
    var to = { ArrowDown: [y + 1, x], ArrowUp: [y - 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1] }[e.key];
    if (e.key === "Enter" || e.key === " ") { c.click(); e.preventDefault(); }
    var next = to && rows[to[0]] && rows[to[0]].cells[to[1]];
    if (!next || !next.dataset.top) return;
    e.preventDefault();
    rove(next);
    next.focus();
  }));
}
