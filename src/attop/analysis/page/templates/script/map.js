// The map of methods on data sets and tops, its headline, and walking it by keyboard.
var map = document.getElementById("map");
var headline = document.getElementById("headline");
var HEADLINE = headline.textContent;
var tip = document.getElementById("tip");

function fillMap() {
  if (!map) return;
  var methods = shown(DATA.methods.map(function (m) { return m.id; })), leads = {}, every = [];
  each("thead th.top", map, function (head) {
    var set = SETS[head.dataset.dataset], lead = compare(set, head.dataset.target, metricOf(set), methods);
    leads[set.id + " " + head.dataset.target] = lead;
    every.push(lead);
  });
  var found = untouched() ? { ranks: DATA.ranks } : meanRanks(metricOf, methods);
  var body = map.tBodies[0], rows = [];
  each("tr", body, function (row) {
    var method = row.dataset.method;
    each("td[data-target]", row, function (cell) {
      var lead = leads[cell.dataset.dataset + " " + cell.dataset.target], set = lead.set;
      if (!method) {
        var by = set.chance[lead.metric];
        cell.textContent = by === undefined ? "·" : brief(by);
        return;
      }
      var its = lead.cells && lead.cells[method];
      cell.textContent = its ? brief(its.entry.mean) : "·";
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
  rove(map.querySelector("tbody td[data-target]:not([hidden])"));
}

function sentence(found, every) {
  var ranked = Object.keys(found.ranks).sort(function (a, b) { return found.ranks[a] - found.ranks[b]; }), said = [];
  if (ranked.length > 1 && found.n > 1) {
    var first = found.ranks[ranked[0]];
    var best = ranked.filter(function (m) { return found.ranks[m] - first <= 1e-9; });
    var over = counted(found.n, "data set");
    said.push(best.length === ranked.length ? "All " + ranked.length + " methods rank alike over " + over + "."
      : (best.length <= 3 ? listed(titlesOf(best)) : best.length + " methods") + (best.length === 1 ? " ranks" : " rank") + " best over " + over
        + " (mean rank " + fixed(first, 1) + " of " + counted(ranked.length, "method") + ").");
  }
  var compared = every.filter(function (l) { return l.next; });
  var won = compared.filter(function (l) { return l.verdict === "better"; }).length;
  var tops = compared.length > 1 ? "the " + compared.length + " tops" : "the one top";
  said.push(!compared.length ? "No two methods can be compared."
    : won ? "At " + won + " of " + tops + " the leader is shown to be ahead of the runner-up."
    : "At none of " + tops + " is the leader shown to be ahead of the runner-up.");
  if (state.metric) said.push("By " + state.metric + ".");
  return said.join(" ");
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
  var by = set.chance[lead.metric], k = /^k=(\d+)$/.exec(lead.target);
  if (lead.metric === "precision@k" && k) last += "; " + Math.round(its.mean * k[1] * 10) / 10 + " of the top " + k[1];
  if (by > 0 && by < 0.2 && lead.metric === "precision@k") last += ", " + (its.mean / by).toFixed(1) + " times a random order";
  if (set.edge.indexOf(method) >= 0) last += "; mostly at an edge of its grid";
  var flat = set.constant[lead.target][method];
  if (flat) last += "; ranks nothing in " + flat + " of " + counted(lead.m, "run");
  return TITLES[method] + ", " + lead.target + ": " + lead.metric + " " + fixed(its.mean, 3)
    + (isFinite(se) ? " ± " + fixed(se, 3) : "") + " (" + (its.n === lead.m ? counted(its.n, "run") : its.n + " of " + counted(lead.m, "run")) + ")" + last;
}
function rove(cell) {
  if (!cell) return;
  each("td[tabindex]", map, function (c) { c.removeAttribute("tabindex"); });
  cell.tabIndex = 0;
}
function tellCell(cell) {
  var row = cell.closest("tr"), lead = map.leads[cell.dataset.dataset + " " + cell.dataset.target];
  tell(row.dataset.method ? entryText(lead, row.dataset.method) : "Expected " + lead.metric + " of a random order", cell);
}
if (map) {
  var onCell = function (act) { return function (e) { var c = e.target.closest("td[data-target]"); if (c) act(c, e); }; };
  map.addEventListener("mouseover", onCell(tellCell));
  map.addEventListener("mouseleave", function () { tell(""); });
  map.addEventListener("focusin", onCell(tellCell));
  map.addEventListener("focusout", function () { tell(""); });
  map.addEventListener("click", onCell(function (c) { location.hash = address(SETS[c.dataset.dataset].anchor, c.dataset.target); }));
  map.addEventListener("keydown", onCell(function (c, e) {
    var rows = Array.prototype.filter.call(map.tBodies[0].rows, function (r) { return !r.hidden; });
    var y = rows.indexOf(c.parentNode), x = c.cellIndex;
    var to = { ArrowDown: [y + 1, x], ArrowUp: [y - 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1] }[e.key];
    if (e.key === "Enter" || e.key === " ") { c.click(); e.preventDefault(); }
    var next = to && rows[to[0]] && rows[to[0]].cells[to[1]];
    if (!next || !next.dataset.target) return;
    e.preventDefault();
    rove(next);
    next.focus();
  }));
}
