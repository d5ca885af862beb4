// Tables made here, sorting, and the shown table as a file.
function table(heads, rows, caption) {
  var t = make("table", { class: "sortable" }), head = make("tr"), body = make("tbody"), said = make("caption"), line = make("thead");
  said.append(make("span", {}, caption));
  heads.forEach(function (h, i) { head.append(make("th", { scope: "col", class: i ? "num up" : "" }, h)); });
  line.append(head);
  rows.forEach(function (cells) {
    var tr = make("tr", { "data-method": cells[0].method }), name = make("th", { scope: "row" });
    name.append(key(cells[0].method), TITLES[cells[0].method]);
    tr.append(name);
    cells.slice(1).forEach(function (c) {
      var td = make("td", { class: c.span ? "text" : "num" });
      if (c.span) td.colSpan = c.span;
      if (c.v !== undefined || !c.span) td.setAttribute("data-v", c.v === undefined ? "" : c.v);
      if (c.state === "best") td.classList.add("best");
      if (c.state === "unranked") td.classList.add("unranked");
      td.append(make("span", { class: "v" }, c.t));
      if (c.pm !== undefined && isFinite(c.pm)) td.append(make("span", { class: "pm" }, " ± " + fixed(c.pm, c.places)));
      if (c.state) td.append(make("span", { class: "sign" }, c.state === "level" ? "°" : ""));
      if (c.n !== undefined && c.n !== c.m) td.append(make("span", { class: "n" }, c.n + " of " + counted(c.m, "run")));
      if (c.flat) td.append(make("span", { class: "n" }, c.flat + (c.flat === 1 ? " ranks" : " rank") + " nothing"));
      tr.append(td);
    });
    body.append(tr);
  });
  t.append(said, line, body);
  sortable(t);
  return t;
}
function keyOf(row, column) {
  var cell = row.cells[column], value = cell ? cell.getAttribute("data-v") : "";
  if (value === null) return cell.textContent.trim().toLowerCase();
  return value === "" ? NaN : Number(value);
}
function sortable(t) {
  var heads = t.tHead.rows[0].cells;
  // One stop of the Tab key a table; the arrow keys go from head to head.
  t.tHead.addEventListener("keydown", function (e) {
    var step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], to = step && heads[e.target.closest("th").cellIndex + step];
    if (!to) return;
    e.preventDefault();
    e.target.tabIndex = -1;
    to.firstChild.tabIndex = 0;
    to.firstChild.focus();
  });
  Array.prototype.forEach.call(heads, function (head, column) {
    var button = make("button", { type: "button", title: "Sort by this column", tabindex: column ? -1 : 0 });
    while (head.firstChild) button.append(head.firstChild);
    head.append(button);
    button.addEventListener("click", function () {
      var now = head.getAttribute("aria-sort"), down = now ? now === "ascending" : head.classList.contains("up");
      Array.prototype.forEach.call(heads, function (h) { h.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      var rows = Array.prototype.map.call(t.tBodies[0].rows, function (row, i) { return { row: row, i: i, k: keyOf(row, column) }; });
      rows.sort(function (a, b) {
        if (a.k !== a.k || b.k !== b.k) return (a.k !== a.k) - (b.k !== b.k) || a.i - b.i;
        return (a.k < b.k ? -1 : a.k > b.k ? 1 : 0) * (down ? -1 : 1) || a.i - b.i;
      });
      rows.forEach(function (r) { t.tBodies[0].append(r.row); });
    });
  });
}
function exported(wide, format) {
  var p = wide.places, heads = ["method"].concat(wide.set.tops);
  var cells = wide.order.map(function (m) {
    return wide.leads.map(function (l) { return l.cells && l.cells[m]; });
  });
  function behind(m, j) { return mean(defined(against(wide.leads[j], m))); }
  if (format === "csv") {
    var lines = ["method,top,metric,mean,std,n,best,not_told_apart" + (state.against ? ",difference,minus" : "")];
    wide.order.forEach(function (m, i) {
      wide.set.tops.forEach(function (t, j) {
        var c = cells[i][j];
        if (!c) return;
        var line = [m, t, wide.metric, c.entry.mean, isFinite(c.entry.std) ? c.entry.std : "", c.entry.n, c.state === "best", c.state === "level"];
        if (state.against) { var d = behind(m, j); line.push(isFinite(d) ? d : "", state.against); }
        lines.push(line.join(","));
      });
    });
    return lines.join("\n") + "\n";
  }
  var tex = format === "tex";
  function written(c, j) {
    if (!c) return tex ? "--" : "–";
    var value = state.against ? signed(behind(c.entry.method, j), p) : fixed(c.entry.mean, p);
    value = value.replace("–", tex ? "--" : "–").replace("−", tex ? "$-$" : "-").replace("+", tex ? "$+$" : "+");
    if (c.state === "best") value = tex ? "\\textbf{" + value + "}" : "**" + value + "**";
    return value + (c.state === "level" ? (tex ? "$^\\circ$" : "°") : "");
  }
  function plain(text) { return tex ? text.replace(/([&%$#_{}])/g, "\\$1") : text; }
  var rows = wide.order.map(function (m, i) { return [plain(TITLES[m])].concat(cells[i].map(written)); });
  if (tex) {
    return "% " + wide.set.title + ", " + wide.metric + ": " + (state.against ? "difference to " + plain(TITLES[state.against]) + ", " : "") + "mean over the runs; bold: best; circle: not told apart from it\n"
      + "\\begin{tabular}{l" + wide.set.tops.map(function () { return "r"; }).join("") + "}\n\\toprule\n"
      + ["Method"].concat(wide.set.tops.map(plain)).join(" & ") + " \\\\\n\\midrule\n"
      + rows.map(function (r) { return r.join(" & ") + " \\\\"; }).join("\n") + "\n\\bottomrule\n\\end{tabular}\n";
  }
  return "| " + ["Method"].concat(wide.set.tops).join(" | ") + " |\n|" + heads.map(function (h, i) { return i ? " ---: |" : " --- |"; }).join("") + "\n"
    + rows.map(function (r) { return "| " + r.join(" | ") + " |"; }).join("\n") + "\n";
}
