// One data set at one top: the strip of runs, the verdict, the tests and the table.
function verdictWord(v) { return { better: "Yes", equivalent: "Practically none", open: "Not shown", refused: "Not tested" }[v] || ""; }

function reading(lead) {
  if (!lead.best) return "No method has a defined value.";
  var first = TITLES[lead.best], ranked = lead.rivals.filter(function (r) { return r.ranked; }), words = [];
  if (!ranked.length) words.push(first + " has no other method to be compared with.");
  else {
    words.push(aboutNext(lead, first, ranked));
    var beaten = ranked.filter(function (r) { return r.verdict === "better"; }).length;
    if (ranked.length > 1 && !ranked.every(function (r) { return r.verdict === "refused"; })) {
      words.push("Really better than " + (beaten === ranked.length ? "all" : (beaten || "none") + " of the") + " " + ranked.length + " others.");
    }
  }
  if (lead.unranked.length) words.push("Not ranked, values on fewer runs: " + listed(titlesOf(lead.unranked)) + ".");
  return words.join(" ");
}
function aboutNext(lead, first, ranked) {
  var r = ranked[0], second = TITLES[r.method], over = r.n === r.m ? "" : " (over " + r.n + " of " + counted(r.m, "run") + ")";
  if (r.n && r.equal === r.n) {
    var same = ranked.filter(function (o) { return o.equal === o.n && o.n === r.n; }).map(function (o) { return TITLES[o.method]; });
    return listed([first].concat(same)) + " are best, equal in every run" + over + ".";
  }
  var start = lead.tied.length
    ? listed([first].concat(titlesOf(lead.tied))) + " have equal means" + over + "; a difference" + (lead.tied.length === 1 ? "" : " to " + second)
    : first + " is best; the difference to " + second + ", " + fine(r.mean) + over + ",";
  if (r.verdict === "refused") return start + " is not tested. " + r.why;
  if (lead.rope === null) {
    return start + " is " + (r.verdict === "better" ? "real" : "not distinguishable from chance") + " (corrected resampled t-test, p " + probability(r.p) + ").";
  }
  if (r.verdict === "better") return start + " is real (P " + probability(r.ahead) + " that it is more than " + lead.rope + ").";
  if (r.verdict === "equivalent") return start + " is practically none (P " + probability(r.same) + " that it is at most " + lead.rope + ").";
  return start + " is not distinguishable from chance (that it is more than " + lead.rope + ": P " + probability(r.ahead)
    + "; that " + second + " is better by as much: P " + probability(r.behind) + ").";
}

function fillCard(card, lead) {
  var best = lead.best ? [lead.best].concat(lead.tied) : [];
  var who = best.length > 3 ? best.length + " methods" : listed(titlesOf(best));
  card.querySelector(".what").textContent = "Best " + lead.metric + " at " + lead.top;
  card.querySelector(".who").textContent = lead.best ? who + (lead.tied.length ? " level at " : " ") + fixed(lead.entry.mean, 3) : "none";
  var line = card.querySelector(".reading"), words = make("span", { class: "words" }, reading(lead));
  line.textContent = "";
  if (lead.verdict) line.append(make("b", { class: "verdict " + lead.verdict }, verdictWord(lead.verdict)), " ");
  line.append(words);
  var flat = lead.set.constant[lead.top][lead.best];
  card.querySelector(".nothing").textContent = flat
    ? TITLES[lead.best] + " gives all test items one score in " + flat + " of " + counted(lead.m, "run") + ", where it ranks nothing." : "";
  var others = lead.level.filter(function (m) { return best.indexOf(m) < 0; });
  card.querySelector(".alike").textContent = others.length ? "Not told apart from the best: " + listed(titlesOf(others)) + "." : "";
  var spent = lead.set.seconds, timed = lead.level.filter(function (m) { return spent[m] !== null && spent[m] !== undefined; });
  timed.sort(function (a, b) { return spent[a] - spent[b]; });
  card.querySelector(".cheapest").textContent = timed.length && lead.level.length > 1
    ? "Cheapest of these: " + TITLES[timed[0]] + ", " + duration(spent[timed[0]]) + " a job." : "";
}

function ticksOf(low, high) {
  var step = Math.pow(10, Math.floor(Math.log10(high - low))), found = [];
  [5, 2, 1, 0.5, 0.2].some(function (s) {
    found = [];
    for (var i = Math.ceil(low / (s * step) - 1e-9); i * s * step <= high + 1e-9 * step; i++) found.push(i * s * step);
    found.step = s * step;
    return found.length >= 3;
  });
  return found;
}

function fillStrip(section, lead) {
  var strip = section.querySelector(".strip"), set = lead.set, alike = set.constant[lead.top];
  strip.textContent = "";
  var values = {};
  lead.entries.forEach(function (e) {
    values[e.method] = defined(state.against ? against(lead, e.method) : valuesOf(set, lead.metric, lead.top)[e.method]);
  });
  var all = [].concat.apply([], lead.entries.map(function (e) { return values[e.method]; }));
  var by = state.against ? undefined : set.chance[lead.metric];
  var low = Math.min.apply(null, all), high = Math.max.apply(null, all), room = high - low || 0.1 * Math.abs(high) || 1;
  var bounds = DATA.metrics[lead.metric] && !state.against ? DATA.metrics[lead.metric].bounds : [null, null];
  low -= 0.04 * room; high += 0.04 * room;
  if (bounds[0] !== null) low = Math.max(low, bounds[0] - 0.02 * room);
  if (bounds[1] !== null) high = Math.min(high, bounds[1] + 0.02 * room);
  function at(x) { return (100 * (x - low) / (high - low)).toFixed(2) + "%"; }
  var ticks = all.length ? ticksOf(low, high) : [], places = Math.max(0, -Math.floor(Math.log10(ticks.step || 1) + 1e-9));
  lead.entries.forEach(function (e) {
    var row = make("li", { "data-m": e.method, class: lead.cells[e.method].state });
    var name = make("span", { class: "name" });
    name.append(key(e.method), TITLES[e.method]);
    if (set.edge.indexOf(e.method) >= 0) name.append(" ⚠");
    if (alike[e.method]) name.append(" ∅");
    var line = make("span", { class: "line", "aria-hidden": "true" });
    ticks.forEach(function (t) {
      line.append(make("i", { class: state.against && Math.abs(t) < 1e-9 ? "grid zero" : "grid", style: "left:" + at(t) }));
    });
    var its = values[e.method], middle = mean(its), se = deviation(its) / Math.sqrt(its.length);
    its.forEach(function (x) { line.append(make("i", { class: "dot", style: "left:" + at(x) })); });
    if (isFinite(se)) {
      var a = Math.max(low, middle - se), b = Math.min(high, middle + se);
      line.append(make("i", { class: "bar", style: "left:" + at(a) + ";width:" + (100 * (b - a) / (high - low)).toFixed(2) + "%" }));
    }
    if (its.length) line.append(make("i", { class: "mean", style: "left:" + at(middle) }));
    row.append(name, line, make("span", { class: "value" }, state.against ? signed(middle, 3) : fixed(middle, 3)));
    strip.append(row);
  });
  var axis = make("li", { class: "axis", "aria-hidden": "true" }), scale = make("span", { class: "line" });
  // On a phone the scale is some 150 pixels wide, and not all numbers have room.
  var longest = Math.max.apply(null, ticks.map(function (t) { return fixed(t, places).length; }));
  var every = Math.ceil((7 * longest + 5) * (high - low) / (150 * ticks.step));
  ticks.forEach(function (t, i) { scale.append(make("i", { style: "left:" + at(t), class: i % every ? "spare" : "" }, fixed(t, places))); });
  axis.append(make("span", { class: "name" }), scale, make("span", { class: "value" }));
  strip.append(axis);
  section.querySelector(".stripnote").textContent = lead.entries.length
    ? lead.metric + (state.against ? " minus that of " + TITLES[state.against] + ", run by run" : "") + (DATA.metrics[lead.metric].up ? " (higher" : " (lower") + " is better). Large mark: mean; bar: one standard error; dots: runs; filled: not told apart from the best"
      + (set.edge.length ? "; ⚠: mostly at an edge of its grid" : "") + (Object.keys(alike).length ? "; ∅: ranks nothing, one score for all items, in some run" : "")
      + "." + (by !== undefined ? " A random order has " + fixed(by, 3) + "." : "")
    : "No method has a defined value of " + lead.metric + " at " + lead.top + ".";
  section.lead = lead;
}

function cellText(p) { return p === undefined ? "–" : chance(p); }
function fillTests(section, lead) {
  var box = section.querySelector(".tests .scroll");
  box.textContent = "";
  if (!lead.rivals.length) { box.append(make("p", {}, "There is no other method.")); return; }
  var rows = lead.rivals.map(function (r) {
    return [{ method: r.method }, { v: r.mean, t: fixed(r.mean, 3) }, { v: r.better, t: r.better + " of " + r.n }].concat(
      r.p === undefined ? [{ t: r.why, span: 4 }]
        : [r.adjusted, r.ahead, r.same, r.behind].map(function (p) { return { v: p, t: cellText(p) }; }));
  });
  box.append(table(["Other", "Difference", "Wins", "p", "P worse", "P equivalent", "P better"], rows,
    TITLES[lead.best] + " minus the other, by " + lead.metric + " at " + lead.top + ", over the runs both have. p: corrected resampled t-test, Holm’s adjustment."
    + (lead.rope === null ? "" : " P: Bayesian correlated t-test with the rope " + lead.rope + ": the other is practically worse, equivalent, better.")));
}

function wideRows(set, metric) {
  var up = DATA.metrics[metric] && DATA.metrics[metric].up, methods = shown(set.order);
  var leads = set.tops.map(function (t) { return compare(set, t, metric, methods); });
  var order = methods.map(function (m, i) {
    var places = leads.map(function (l) {
      var c = l.cells && l.cells[m];
      if (!c || !c.entry.ranked) return methods.length;
      return l.entries.filter(function (e) { return e.ranked && (up ? e.mean > c.entry.mean : e.mean < c.entry.mean); }).length;
    });
    return { m: m, place: mean(places), i: i };
  }).sort(function (a, b) { return a.place - b.place || a.i - b.i; }).map(function (o) { return o.m; });
  return { leads: leads, order: order };
}
function fillWide(section, set, metric) {
  var box = section.querySelector(".wide"), found = wideRows(set, metric);
  section.wide = { set: set, metric: metric, leads: found.leads, order: found.order };
  var largest = Math.max.apply(null, [0].concat([].concat.apply([], found.leads.map(function (l) { return l.entries.map(function (e) { return Math.abs(e.mean); }); }))));
  var places = largest < 10 ? 3 : largest < 100 ? 2 : largest < 10000 ? 1 : 0;
  section.wide.places = places;
  var rows = found.order.map(function (m) {
    return [{ method: m }].concat(found.leads.map(function (l) {
      var c = l.cells && l.cells[m];
      if (!c) return { t: "–" };
      if (state.against) {
        var d = defined(against(l, m)), by = mean(d);
        return { v: isFinite(by) ? by : undefined, t: signed(by, places), pm: deviation(d), places: places, state: c.state, n: d.length, m: l.m, flat: set.constant[l.top][m] };
      }
      return { v: c.entry.mean, t: fixed(c.entry.mean, places), pm: c.entry.std, places: places, state: c.state, n: c.entry.n, m: l.m, flat: set.constant[l.top][m] };
    }));
  });
  box.textContent = "";
  box.append(table(["Method"].concat(set.tops), rows, metric + (DATA.metrics[metric] && DATA.metrics[metric].up ? " (higher" : " (lower")
    + " is better): " + (state.against ? "difference to " + TITLES[state.against] + ", mean ± standard deviation over the runs both have" : "mean ± standard deviation over the runs")
    + ". Bold: the best mean. °: not told apart from it."));
}

function fillSection(section, set, top) {
  if (!set || !section.querySelector(".strip")) return;
  var metric = metricOf(set), lead = compare(set, top, metric, shown(set.order));
  each(".tops button", section, function (b) { b.setAttribute("aria-pressed", String(b.dataset.top === top)); });
  var card = section.querySelector(".card.live");
  if (!card) {
    card = section.querySelector(".card").cloneNode(true);
    card.classList.add("live");
    card.removeAttribute("data-main");
    section.querySelector(".cards").prepend(card);
  }
  card.dataset.top = top;
  fillCard(card, lead);
  fillStrip(section, lead);
  fillTests(section, lead);
  fillWide(section, set, metric);
  section.querySelector(".exports").hidden = false;
}
