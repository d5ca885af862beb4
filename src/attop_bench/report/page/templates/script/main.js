// Putting the state on the page.
var find = document.getElementById("find");

function apply(scrollTo) {
  each("section.tab", null, function (s) { s.classList.toggle("current", s.id === state.tab); });
  each("nav .tabs a", null, function (a) {
    var here = a.dataset.tab === state.tab;
    if (here) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
    a.setAttribute("href", address(a.dataset.tab, ""));
    if (here && a.offsetLeft) a.parentNode.scrollLeft = a.offsetLeft - 60;
  });
  form.metric_.value = state.metric;
  form.against.value = state.against;
  each('input[name="method"]', form, function (box) { box.checked = state.off.indexOf(box.value) < 0; });
  each("tr[data-method]", null, function (row) { if (!row.closest("#map")) row.hidden = state.off.indexOf(row.dataset.method) >= 0; });
  fillMap();
  var section = document.getElementById(state.tab), set = setOf(state.tab);
  if (set) fillSection(section, set, state.top);
  drawFigures(section);
  hideMarks(document);
  if (set) quieten(section);
  if (map) quieten(document.getElementById("overview"));
  if (find) {
    find.placeholder = set ? set.title : find.dataset.nothing;
    find.parentNode.classList.toggle("here", Boolean(set));
  }
  var n = DATA.methods.length - state.off.length;
  form.shown.value = untouched() ? "" : [state.metric && "by " + state.metric, state.off.length && n + " of " + counted(DATA.methods.length, "method")].filter(Boolean).join(", ");
  each("#overview .kept", null, function (p) { p.hidden = untouched(); });
  each("#overview .whole", null, function (part) { part.hidden = !untouched(); });
  each(".dataset .kept", null, function (p) { p.hidden = !state.metric; });
  each(".against", null, function (p) {
    p.hidden = !state.against;
    p.querySelector("b").textContent = TITLES[state.against] || "";
  });
  reachable();
  if (scrollTo) { if (scrollTo.closest("details")) scrollTo.closest("details").open = true; scrollTo.scrollIntoView(); }
}
// A region that scrolls must be reachable by keyboard, one that does not is in the way.
function reachable() {
  each(".scroll", null, function (box) {
    if (box.scrollWidth > box.clientWidth + 1) { box.tabIndex = 0; box.setAttribute("role", "region"); box.setAttribute("aria-label", "Table, scrolls sideways"); }
    else { box.removeAttribute("tabindex"); box.removeAttribute("role"); box.removeAttribute("aria-label"); }
  });
}
function change() { write(); apply(); }

form.hidden = false;
form.metric_ = form.querySelector('select[name="metric"]');
form.addEventListener("submit", function (e) { e.preventDefault(); });
form.addEventListener("change", function (e) {
  if (e.target.name === "search") return;
  state.metric = form.metric_.value;
  state.against = form.against.value;
  state.off = Array.prototype.filter.call(form.querySelectorAll('input[name="method"]'), function (b) { return !b.checked; }).map(function (b) { return b.value; });
  change();
});
form.addEventListener("reset", function (e) { e.preventDefault(); state.metric = ""; state.against = ""; state.off = []; change(); });
form.search.addEventListener("input", function () {
  var words = form.search.value.toLowerCase();
  each("fieldset label", form, function (label) { label.hidden = label.textContent.toLowerCase().indexOf(words) < 0; });
});
document.addEventListener("keydown", function (e) {
  if (e.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  e.preventDefault();
  form.querySelector("details").open = true;
  form.search.focus();
});
if (find) find.addEventListener("change", function () {
  each("#datasets option", null, function (o) { if (o.value === find.value) { location.hash = address(o.dataset.tab, ""); find.value = ""; } });
});
each("section.dataset", null, function (section) {
  var strip = section.querySelector(".strip");
  if (!strip) return;
  each(".tops button", section, function (b) {
    b.addEventListener("click", function () { state.top = b.dataset.top; change(); });
  });
  each(".exports button", section, function (b) {
    b.addEventListener("click", function () {
      var wide = section.wide, format = b.dataset.format;
      save(exported(wide, format), wide.set.id + "-" + wide.metric.replace(/[^\w-]/g, "-") + "." + format, "text/plain");
    });
  });
  var at = -1;
  function point(i) {
    var rows = strip.querySelectorAll("li[data-m]");
    each("li.on", strip, function (r) { r.classList.remove("on"); });
    at = Math.max(-1, Math.min(i, rows.length - 1));
    if (at < 0) { tell(""); return; }
    rows[at].classList.add("on");
    tell(entryText(section.lead, rows[at].dataset.m), rows[at].querySelector(".line"));
  }
  strip.addEventListener("mouseover", function (e) {
    var row = e.target.closest("li[data-m]");
    if (row) point(Array.prototype.indexOf.call(strip.children, row));
  });
  strip.addEventListener("mouseleave", function () { point(-1); });
  strip.addEventListener("focus", function () { if (at < 0) point(0); });
  strip.addEventListener("blur", function () { point(-1); });
  strip.addEventListener("keydown", function (e) {
    var step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) { e.preventDefault(); point(Math.max(0, at + step)); }
  });
});
each("table.sortable", null, sortable);
addEventListener("hashchange", function () {
  var before = state.tab, part = read();
  apply(part);
  if (!part && state.tab !== before) scrollTo(0, 0);
});
addEventListener("resize", reachable);
document.addEventListener("toggle", reachable, true);
// On paper every data set has its page.
var paper = matchMedia("print");
function everything() {
  if (document.documentElement.classList.contains("alone")) return;
  DATA.datasets.forEach(function (set) {
    var section = document.getElementById(set.anchor);
    if (set.anchor !== state.tab) fillSection(section, set, set.main);
    quieten(section);
  });
  drawFigures(document.getElementById("overview"));
}
if (paper.matches) everything();
paper.addEventListener("change", function (e) { if (e.matches) everything(); });
addEventListener("beforeprint", everything);
var asked = read();
apply(asked);
// The browser goes to the tab the address names; the sentence on top stays in sight.
if (!asked) addEventListener("load", function () { setTimeout(function () { scrollTo(0, 0); }); });
