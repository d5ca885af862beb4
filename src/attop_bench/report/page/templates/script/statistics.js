// Comparisons as attop_bench.report.compute.comparison makes them, for whatever metric and methods are chosen.
var DATA = JSON.parse(document.getElementById("data").textContent);
var TITLES = {}, SETS = {};
DATA.methods.forEach(function (m) { TITLES[m.id] = m.title; });
DATA.datasets.forEach(function (d) { SETS[d.id] = d; });

function sum(v) { return v.reduce(function (a, b) { return a + b; }, 0); }
function mean(v) { return v.length ? sum(v) / v.length : NaN; }
function deviation(v) {
  var m = mean(v);
  return v.length > 1 ? Math.sqrt(sum(v.map(function (x) { return (x - m) * (x - m); })) / (v.length - 1)) : NaN;
}
function defined(v) { return v.filter(function (x) { return x !== null; }); }

// Student's t distribution for whole degrees of freedom, a finite sum in the angle.
function below(t, nu) {
  var angle = Math.atan(t / Math.sqrt(nu)), sin = Math.sin(angle), cos2 = Math.cos(angle) * Math.cos(angle);
  var odd = nu % 2 === 1, term = odd ? Math.cos(angle) : 1, total = nu > 1 ? term : 0;
  for (var i = odd ? 3 : 2; i < nu; i += 2) { term *= cos2 * (i - 1) / i; total += term; }
  var middle = odd ? 2 / Math.PI * (angle + sin * total) : sin * (nu > 1 ? total : 1);
  return (1 + middle) / 2;
}

function valuesOf(set, metric, top) { return (set.values[metric] || {})[top] || {}; }

// A method minus another, run by run; nothing where one of the two has no value.
function differences(set, metric, top, method, other) {
  var all = valuesOf(set, metric, top), b = all[other] || [];
  return (all[method] || []).map(function (x, i) {
    if (x === null || b[i] === null || b[i] === undefined) return null;
    return Math.abs(x - b[i]) <= 1e-12 * Math.max(Math.abs(x), Math.abs(b[i])) ? 0 : x - b[i];
  });
}

// The best method against another: which way, how often, and the probabilities.
function duel(best, other, ratio, rope) {
  var a = [], b = [];
  best.forEach(function (x, i) { if (x !== null && other[i] !== null) { a.push(x); b.push(other[i]); } });
  var d = a.map(function (x, i) { return Math.abs(x - b[i]) <= 1e-12 * Math.max(Math.abs(x), Math.abs(b[i])) ? 0 : x - b[i]; });
  var found = { n: d.length, m: best.length, mean: mean(d), verdict: "refused", why: "" };
  found.better = d.filter(function (x) { return x > 0; }).length;
  found.equal = d.filter(function (x) { return x === 0; }).length;
  if (d.length < DATA.rules.minRuns) {
    found.why = "At least " + DATA.rules.minRuns + " shared runs are needed, and there " + (d.length === 1 ? "is 1" : "are " + d.length) + ".";
    return found;
  }
  if (ratio === null) {
    found.why = "How many items the runs train and test on is not known, so neither is how much they overlap.";
    return found;
  }
  var spread = deviation(d), largest = Math.max.apply(null, d.map(Math.abs));
  if (spread <= 1e-12 * largest) {
    found.why = "All " + d.length + " differences are " + Number(found.mean.toPrecision(4)) + ": there is no variance to test against.";
    return found;
  }
  var error = Math.sqrt(1 / d.length + ratio) * spread, nu = d.length - 1;
  found.p = 2 * (1 - below(Math.abs(found.mean / error), nu));
  if (rope === null) {
    found.verdict = found.p < 1 - DATA.rules.sure ? "better" : "open";
    return found;
  }
  found.behind = below((-rope - found.mean) / error, nu);
  found.ahead = 1 - below((rope - found.mean) / error, nu);
  found.same = Math.max(0, 1 - found.behind - found.ahead);
  found.verdict = found.ahead >= DATA.rules.sure ? "better" : found.same >= DATA.rules.sure ? "equivalent" : "open";
  return found;
}

// The best of a data set at a top among `methods`, and every other against it.
function compare(set, top, metric, methods) {
  var all = valuesOf(set, metric, top), about = DATA.metrics[metric], sign = about && about.up ? 1 : -1;
  var entries = methods.filter(function (m) { return all[m]; }).map(function (m) {
    var own = defined(all[m]);
    return { method: m, signed: all[m].map(function (x) { return x === null ? null : sign * x; }), n: own.length, mean: mean(own), std: deviation(own) };
  }).filter(function (e) { return e.n; });
  var lead = { set: set, top: top, metric: metric, rope: about ? about.rope : null, m: set.runs.length, entries: entries, rivals: [], tied: [], level: [], leaders: [], untested: [], unranked: [], verdict: "" };
  if (!entries.length) return lead;
  var most = Math.max.apply(null, entries.map(function (e) { return e.n; }));
  entries.forEach(function (e, i) { e.i = i; e.ranked = e.n === most; });
  entries.sort(function (a, b) { return b.ranked - a.ranked || (Math.abs(a.mean - b.mean) <= 1e-12 * Math.max(1, Math.abs(a.mean)) ? a.i - b.i : sign * (b.mean - a.mean)); });
  var best = entries[0];
  lead.best = best.method; lead.entry = best;
  lead.rivals = entries.slice(1).map(function (e) {
    var found = duel(best.signed, e.signed, set.ratio, lead.rope);
    found.method = e.method; found.ranked = e.ranked;
    if (e.ranked && sign * (best.mean - e.mean) <= 1e-12 * Math.max(1, Math.abs(best.mean))) lead.tied.push(e.method);
    if (!e.ranked) lead.unranked.push(e.method);
    return found;
  });
  var tested = lead.rivals.filter(function (r) { return r.p !== undefined; }).sort(function (a, b) { return a.p - b.p; }), so = 0;
  tested.forEach(function (r, i) { so = r.adjusted = Math.min(1, Math.max(so, (tested.length - i) * r.p)); });  // Holm
  lead.next = lead.rivals.filter(function (r) { return r.ranked; })[0];
  if (lead.next) lead.verdict = lead.next.verdict;
  lead.level = [lead.best].concat(lead.tied);
  lead.rivals.forEach(function (r) {
    if (!r.ranked || lead.tied.indexOf(r.method) >= 0) return;
    if (r.verdict === "open" || r.verdict === "equivalent") lead.level.push(r.method);
    if (r.verdict === "refused") lead.untested.push(r.method);
  });
  lead.leaders = lead.level.length <= DATA.rules.few ? lead.level : [lead.best].concat(lead.tied);
  var unit = lead.rope !== null ? lead.rope : 0.01 * Math.abs(best.mean) || 1;
  lead.cells = {};
  entries.forEach(function (e) {
    var gap = sign * (best.mean - e.mean), m = e.method;
    if (Math.abs(gap) <= 1e-12 * Math.max(1, Math.abs(best.mean))) gap = 0;
    lead.cells[m] = {
      entry: e,
      shade: e.ranked ? DATA.rules.shades.filter(function (s) { return gap > s * unit * (1 + 1e-6); }).length : -1,
      state: !e.ranked ? "unranked" : m === lead.best || lead.tied.indexOf(m) >= 0 ? "best" : lead.level.indexOf(m) >= 0 ? "level" : lead.untested.indexOf(m) >= 0 ? "untested" : "worse"
    };
  });
  return lead;
}

// Mean ranks over the data sets, at the middle top of each, of the methods that have every run everywhere.
function meanRanks(metricOf, methods) {
  var leads = DATA.datasets.filter(function (d) { return d.order.length && d.values[metricOf(d)]; })
    .map(function (d) { return compare(d, d.main, metricOf(d), methods); }).filter(function (l) { return l.best; });
  var ranks = {}, n = leads.length;
  methods.forEach(function (m) { if (n && leads.every(function (l) { return l.cells[m] && l.cells[m].entry.n === l.m; })) ranks[m] = 0; });
  var whole = Object.keys(ranks);
  leads.forEach(function (l) {
    var sign = DATA.metrics[l.metric].up ? 1 : -1;
    var its = whole.map(function (m) { return sign * l.cells[m].entry.mean; });
    whole.forEach(function (m, i) {
      var over = its.filter(function (x) { return x > its[i] + 1e-12; }).length;
      var same = its.filter(function (x) { return Math.abs(x - its[i]) <= 1e-12; }).length;
      ranks[m] += (over + (same + 1) / 2) / n;
    });
  });
  return { ranks: ranks, n: n };
}
