// Putting the state on the page.
const find = document.getElementById("find");
const boxes = all('input[name="method"]', form);

function apply(scrollTo) {
  for (const section of all("section.tab")) section.classList.toggle("current", section.id === state.tab);
  for (const link of all("nav .tabs a")) {
    const here = link.dataset.tab === state.tab;
    link.ariaCurrent = here ? "page" : null;
    link.href = address(link.dataset.tab, "");
    if (here && link.offsetLeft) link.parentNode.scrollLeft = link.offsetLeft - 60;
  }
  form.elements.metric.value = state.metric;
  form.elements.against.value = state.against;
  for (const box of boxes) box.checked = shown(box.value);
  for (const row of all("tr[data-method]")) row.hidden = !shown(row.dataset.method);
  for (const box of all('[name="place"]')) box.checked = state.place ? box.value === state.place : box.defaultChecked;
  fillMap();
  const section = document.getElementById(state.tab), set = setOf(state.tab);
  if (set) fillSection(section, set, state.top);
  all("figure", section).filter((figure) => figure.checkVisibility()).forEach(drawFigure);
  for (const mark of all(".m")) mark.classList.toggle("off", !shown(mark.dataset.m));
  if (set) quieten(section, section.judged?.highlighted ?? []);
  if (map) quieten(home, DATA.overview[state.metric][placeOf()].highlighted);
  find?.setAttribute("placeholder", set ? set.title : find.dataset.nothing);
  find?.parentNode.classList.toggle("here", Boolean(set));
  const n = boxes.length, hidden = state.off.length && `${n - state.off.length} of ${n} methods shown; verdicts are of all`;
  form.elements.shown.value = [state.metric && `by ${state.metric}`, state.against && "differences", hidden].filter(Boolean).join(", ");
  for (const part of all(".kept")) part.hidden = !state.metric;
  for (const part of all(".whole")) part.hidden = Boolean(state.metric);
  for (const part of all(".against")) {
    part.hidden = !state.against;
    part.querySelector("b").textContent = TITLES[state.against] ?? "";
  }
  reachable();
  scrollTo?.closest("details")?.setAttribute("open", "");
  scrollTo?.scrollIntoView();
}

/** A region that scrolls must be reachable by keyboard, one that does not is in the way. */
function reachable() {
  for (const box of all(".scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.role = scrolls ? "region" : null;
    box.ariaLabel = scrolls ? "Table, scrolls sideways" : null;
    box.tabIndex = scrolls ? 0 : -1;
  }
}

function change(what) {
  Object.assign(state, what);
  history.pushState({ ...state }, "", address(state.tab, state.top));
  apply();
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", ({ target }) => {
  if (target.name === "search") return;
  const { metric, against } = form.elements, off = boxes.filter((box) => !box.checked);
  change({ metric: metric.value, against: against.value, off: off.map((box) => box.value) });
});
form.addEventListener("reset", (event) => {
  event.preventDefault();
  change({ metric: "", against: "", off: [] });
});
form.elements.search.addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase();
  for (const label of all("fieldset label", form)) label.hidden = !label.textContent.toLowerCase().includes(words);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  form.querySelector("details").open = true;
  form.elements.search.focus();
});
find?.addEventListener("change", () => {
  const option = all("#datasets option").find(({ value }) => value === find.value);
  if (option) [location.hash, find.value] = [address(option.dataset.tab, ""), ""];
});
all("section.dataset").forEach(usable);
all("table.sortable").forEach(sortable);
addEventListener("popstate", (event) => Object.assign(state, event.state));
addEventListener("hashchange", () => {
  const before = state.tab, part = read();
  history.replaceState({ ...state }, "");
  apply(part);
  if (!part && state.tab !== before) scrollTo(0, 0);
});
addEventListener("resize", reachable);
document.addEventListener("toggle", ({ target }) => (target.matches(".ranking") ? apply() : reachable()), true);

/** On paper every data set has its page, and letters the size of the others. */
function everything() {
  if (map) [drawFront, divide].forEach((draw) => draw());
  for (const set of DATA.datasets) {
    const section = document.getElementById(set.anchor);
    if (set.anchor !== state.tab) fillSection(section, set, set.main);
    all(".screen > figure", section).forEach(drawFigure);
    quieten(section, section.judged?.highlighted ?? []);
  }
}
const part = read();
history.replaceState({ ...state }, "");
apply(part);
if (paper.matches) everything();
paper.addEventListener("change", ({ matches }) => { if (matches) everything(); });
addEventListener("beforeprint", everything);
document.documentElement.classList.add("ready");
// The browser goes to the tab the address names; the sentence on top stays in sight.
if (!part) setTimeout(() => scrollTo(0, 0));
