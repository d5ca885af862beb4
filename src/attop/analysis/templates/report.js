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
  document.querySelectorAll("figure svg").forEach(function (svg) {
    var marks = svg.querySelectorAll(".m");
    function show(method) {
      svg.classList.toggle("focus", method !== null);
      marks.forEach(function (m) { m.classList.toggle("on", m.getAttribute("data-m") === method); });
    }
    ["mouseover", "click"].forEach(function (event) {
      svg.addEventListener(event, function (e) {
        var mark = e.target.closest(".m");
        show(mark ? mark.getAttribute("data-m") : null);
      });
    });
    svg.addEventListener("mouseleave", function () { show(null); });
  });
})();
