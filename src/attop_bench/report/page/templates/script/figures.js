// Figures are drawn when their tab is opened; a click enlarges one. The method pointed at stands out.
function fields(line) { return line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map(function (f) { return f.replace(/,$/, "").replace(/^"|"$/g, ""); }); }
function rowsOf(csv, method) {
  var lines = csv.trim().split("\n").map(fields), heads = lines[0], at = heads.indexOf("method");
  return lines.slice(1).filter(function (l) { return l[at] === method; }).map(function (l) {
    return heads.map(function (h, i) { return i === at || l[i] === "" ? "" : h + " " + l[i]; }).filter(Boolean).join(", ");
  });
}
function save(text, name, type) {
  var link = make("a", { href: URL.createObjectURL(new Blob([text], { type: type })), download: name });
  link.click();
}
function vector(svg) {  // on its own, a figure has the colours of a light page
  var copy = svg.cloneNode(true), style = copy.querySelector("style");
  each(".m.off", copy, function (mark) { mark.remove(); });
  each(".m.quiet [class]", copy, function (e) { e.setAttribute("class", e.getAttribute("class") + "q"); });
  style.textContent += style.textContent.replace(/\.(\w+)\{/g, ".$1q{").replace(/var\(--method, #\w+\)/g, DATA.rules.quiet);
  var text = new XMLSerializer().serializeToString(copy);
  return text.replace(/currentColor/g, "#1d1f22").replace(/var\(--(\w+), (#\w+)\)/g, "$2");
}
// The browser's own way to a PDF: a sheet of the figure's size with nothing else on it.
function printAlone(figure, svg) {
  var sheet = new Image(), title = document.title, size = svg.viewBox.baseVal, root = document.documentElement;
  var page = make("style", {}, "@page { size: " + size.width + "pt " + (size.height + 1) + "pt; margin: 0; }");
  sheet.id = "sheet";
  sheet.alt = svg.getAttribute("aria-label");
  sheet.src = "data:image/svg+xml," + encodeURIComponent(vector(svg));
  document.head.append(page);
  document.body.append(sheet);
  addEventListener("afterprint", function () {
    root.classList.remove("alone");
    document.title = title;
    sheet.remove();
    page.remove();
  }, { once: true });
  sheet.decode().then(function () {
    root.classList.add("alone");
    document.title = figure.id;  // what the browser will call the file
    print();
  });
}
function drawFigures(section) {
  each("figure", section, function (figure) {
    var template = figure.querySelector("template"), place = figure.querySelector(".drawing");
    if (place.firstChild) return;
    place.append(template.content.cloneNode(true));
    var svg = place.querySelector("svg"), data = figure.querySelector("script"), open = figure.querySelector(".open");
    var marks = svg.querySelectorAll(".m"), pinned = null, told = make("span"), bar = make("p", { class: "data" });
    var csv = make("button", { type: "button" }, "Data (CSV)"), file = make("button", { type: "button" }, "Picture (SVG)");
    csv.addEventListener("click", function () { save(data.textContent.trim() + "\n", data.getAttribute("data-name"), "text/csv"); });
    file.addEventListener("click", function () { save(vector(svg), figure.id + ".svg", "image/svg+xml"); });
    var paper = make("button", { type: "button", title: "Opens the print dialogue with this figure alone" }, "Picture (PDF)");
    paper.addEventListener("click", function () { printAlone(figure, svg); });
    bar.append(csv, " ", file, " ", paper, " ", told);
    figure.append(bar);
    var names = Array.prototype.map.call(marks, function (m) { return m.getAttribute("data-m"); });
    names = names.filter(function (m, i) { return names.indexOf(m) === i && TITLES[m]; });
    function show(method) {
      svg.classList.toggle("focus", method !== null);
      Array.prototype.forEach.call(marks, function (m) { m.classList.toggle("on", m.getAttribute("data-m") === method); });
      var rows = method === null ? [] : rowsOf(data.textContent, method);
      told.textContent = method === null ? "" : TITLES[method] + (rows.length && rows.length <= 12 ? ": " + rows.join("; ") : "");
    }
    function markOf(e) { var mark = e.target.closest(".m"); return mark ? mark.getAttribute("data-m") : null; }
    svg.addEventListener("mouseover", function (e) { if (pinned === null) show(markOf(e)); });
    svg.addEventListener("mouseleave", function () { if (pinned === null) show(null); });
    function toggle() {
      var large = figure.classList.toggle("large");
      open.setAttribute("aria-expanded", String(large));
      if (large) svg.setAttribute("tabindex", "0"); else svg.removeAttribute("tabindex");
    }
    open.addEventListener("click", toggle);
    svg.addEventListener("click", function (e) {
      if (!figure.classList.contains("large")) { toggle(); return; }
      var method = markOf(e);
      pinned = method === pinned ? null : method;
      show(pinned);
    });
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      if (!step || !names.length) return;
      e.preventDefault();
      pinned = names[(names.indexOf(pinned) + step + names.length) % names.length];
      show(pinned);
    });
    svg.addEventListener("blur", function () { pinned = null; show(null); });
    hideMarks(figure);
  });
}
// Colour is for those that lead and the baseline; the others are grey until pointed at.
function quieten(section) {
  var lead = section.lead, leaders = section.id === "overview" ? map.leaders : lead ? lead.leaders : [];
  leaders = leaders.concat(DATA.baseline, state.against);
  each("[data-m], tr[data-method]", section, function (e) {
    var method = e.dataset.m || e.dataset.method;
    e.classList.toggle("quiet", leaders.indexOf(method) < 0);
  });
  each("figure", section, function (figure) {  // where none of them is drawn, all keep their colours
    if (!figure.querySelector(".m:not(.quiet)")) each(".m", figure, function (mark) { mark.classList.remove("quiet"); });
  });
}
function hideMarks(inside) {
  each(".m", inside, function (mark) { mark.classList.toggle("off", state.off.indexOf(mark.getAttribute("data-m")) >= 0); });
}
