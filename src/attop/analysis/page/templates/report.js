(function () {
  "use strict";
  function key(row, column) {
    var cell = row.cells[column];
    var value = cell.getAttribute("data-v");
    if (value === null) return cell.textContent.trim().toLowerCase();
    return value === "" ? NaN : Number(value);
  }
  function sort(table, column, down) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row, i) { return { row: row, i: i, k: key(row, column) }; });
    rows.sort(function (a, b) {
      if (a.k !== a.k || b.k !== b.k) return (a.k !== a.k) - (b.k !== b.k) || a.i - b.i;
      return (a.k < b.k ? -1 : a.k > b.k ? 1 : 0) * (down ? -1 : 1) || a.i - b.i;
    });
    rows.forEach(function (r) { body.appendChild(r.row); });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var now = head.getAttribute("aria-sort");
        var down = now ? now === "ascending" : head.classList.contains("num");
        Array.prototype.forEach.call(heads, function (h) { h.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, column, down);
      });
    });
  });
  // Figures: the method under the pointer stands out, and its numbers are shown below.
  function fields(line) { return line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map(function (f) { return f.replace(/,$/, "").replace(/^"|"$/g, ""); }); }
  function rowsOf(csv, method) {
    var lines = csv.trim().split("\n").map(fields), heads = lines[0], at = heads.indexOf("method");
    return lines.slice(1).filter(function (l) { return l[at] === method; }).map(function (l) {
      return heads.map(function (h, i) { return i === at || l[i] === "" ? "" : h + " " + l[i]; }).filter(Boolean).join(", ");
    });
  }
  function nameOf(method) {
    var key = document.querySelector('#filters input[value="' + CSS.escape(method) + '"]');
    return key ? key.parentNode.textContent.trim() : method;
  }
  document.querySelectorAll("figure").forEach(function (figure) {
    var svg = figure.querySelector("svg"), data = figure.querySelector("script");
    var marks = svg.querySelectorAll(".m"), pinned = null;
    var bar = document.createElement("p"), link = document.createElement("a"), told = document.createElement("span");
    bar.className = "data";
    link.href = "#" + figure.id;
    link.textContent = "Data (CSV)";
    link.addEventListener("click", function () {
      if (link.download) return;
      link.href = URL.createObjectURL(new Blob([data.textContent.trim() + "\n"], { type: "text/csv" }));
      link.download = data.getAttribute("data-name");
    });
    bar.appendChild(link);
    bar.appendChild(told);
    figure.appendChild(bar);
    function show(method) {
      svg.classList.toggle("focus", method !== null);
      marks.forEach(function (m) { m.classList.toggle("on", m.getAttribute("data-m") === method); });
      if (method === null) { told.textContent = ""; return; }
      var rows = rowsOf(data.textContent, method);
      told.textContent = nameOf(method) + (rows.length && rows.length <= 12 ? ": " + rows.join("; ") : "");
    }
    function markOf(e) { var mark = e.target.closest(".m"); return mark ? mark.getAttribute("data-m") : null; }
    svg.addEventListener("mouseover", function (e) { if (pinned === null) show(markOf(e)); });
    svg.addEventListener("mouseleave", function () { if (pinned === null) show(null); });
    svg.addEventListener("click", function (e) {
      var method = markOf(e);
      pinned = method === pinned ? null : method;
      show(pinned);
    });
  });
  // Filters. What is filtered out is hidden, not removed.
  var form = document.getElementById("filters");
  form.hidden = false;
  function each(selector, inside, act) { Array.prototype.forEach.call((inside || document).querySelectorAll(selector), act); }
  function columns(table, target, has) {
    each("th[data-target]", table.tHead, function (head) {
      var hide = target !== "" && has && head.getAttribute("data-target") !== target;
      head.hidden = hide;
      each("tr", table.tBodies[0], function (row) { if (row.cells[head.cellIndex]) row.cells[head.cellIndex].hidden = hide; });
    });
  }
  function apply() {
    var dataset = form.dataset_.value, target = form.target_.value, metric = form.metric_.value;
    var off = {}, n = 0, shown = {};
    each('input[name="method"]', form, function (box) { off[box.value] = !box.checked; if (box.checked) n++; });
    each("main [data-dataset]", null, function (part) {
      var id = part.getAttribute("data-dataset");
      var section = document.querySelector('section[data-dataset="' + CSS.escape(id) + '"]');
      var has = target === "" || section.querySelector('[data-target="' + CSS.escape(target) + '"]') !== null;
      part.hidden = (dataset !== "" && id !== dataset) || !has;
      if (!part.hidden) shown[id] = true;
    });
    each("tr[data-target], tr[data-method]", null, function (row) {
      var its = row.getAttribute("data-target"), elsewhere = row.hasAttribute("data-dataset") && row.hidden;
      row.hidden = elsewhere || (target !== "" && its !== null && its !== target) || off[row.getAttribute("data-method")] === true;
    });
    each("main table", null, function (table) { if (table.tHead) columns(table, target, true); });
    each("section[data-dataset]", null, function (section) {
      var tables = section.querySelectorAll("[data-metric]"), found = false;
      each("[data-metric]", section, function (t) { if (t.getAttribute("data-metric") === metric) found = true; });
      Array.prototype.forEach.call(tables, function (t) {
        t.hidden = found && t.getAttribute("data-metric") !== metric;
        if (found && !t.hidden && t.closest("details")) t.closest("details").open = true;
      });
    });
    each("figure .m", null, function (mark) { mark.classList.toggle("off", off[mark.getAttribute("data-m")] === true); });
    var some = dataset || target || metric || n < form.querySelectorAll('input[name="method"]').length;
    form.shown.value = some
      ? "Showing " + Object.keys(shown).length + " of " + (form.dataset_.options.length - 1) + " data sets, " + n + " methods."
      : "";
  }
  ["dataset", "target", "metric"].forEach(function (name) { form[name + "_"] = form.querySelector('select[name="' + name + '"]'); });
  form.addEventListener("change", apply);
  form.addEventListener("reset", function () { setTimeout(apply, 0); });
  apply();  // a browser may have kept choices over a reload
})();
