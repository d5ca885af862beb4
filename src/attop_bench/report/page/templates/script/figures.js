// Figures are drawn when their tab is opened, and seen when their name is clicked. The method pointed at stands out.
function rowsOf(csv, method) {
  const fields = (line) => Array.from(line.matchAll(/(?:^|,)"?((?<=")[^"]*|[^,]*)/g), (match) => match[1]);
  const [heads, ...lines] = csv.trim().split("\n").map(fields), own = heads.indexOf("method");
  const words = (line) => heads.map((head, i) => (i === own || !line[i] ? "" : `${head} ${line[i]}`)).filter(Boolean);
  return lines.filter((line) => line[own] === method).map((line) => words(line).join(", "));
}

/** The figure on its own: without hidden methods, in the colours of a light page. */
function vector(svg) {
  const copy = svg.cloneNode(true), style = copy.querySelector("style");
  const unit = svg.closest("figure").querySelector("input:checked")?.value;
  for (const mark of all(`.m.off, .by:not(.${unit})`, copy)) mark.remove();
  for (const mark of all(".m.quiet [class]", copy)) mark.setAttribute("class", `${mark.getAttribute("class")}q`);
  style.textContent += style.textContent.replace(/\.(\w+)\{/g, ".$1q{").replace(/var\(--method, #\w+\)/g, DATA.quiet);
  const text = new XMLSerializer().serializeToString(copy);
  return text.replace(/currentColor/g, "#1d1f22").replace(/var\(--(\w+), (#\w+)\)/g, "$2");
}

/** The slider of k: moves the mark of the budget and reads the curves of those in colour there. */
function slide(figure, svg, data, names) {
  const [slider, said] = figure.querySelectorAll("[type=range], output"), budget = slider.defaultValue;
  const xOf = (path) => parseFloat(path.getAttribute("d").slice(1)), marks = all(".budget path", svg);
  const width = (xOf(marks[0]) - xOf(svg.querySelector(".by path"))) / budget;
  for (const mark of marks) mark.before(mark.cloneNode());  // the budget's own stays
  slider.max = rowsOf(data, names[0]).length - 1;
  slider.addEventListener("input", () => {
    for (const mark of marks) mark.setAttribute("transform", `translate(${(slider.value - budget) * width})`);
    const loud = names.filter((name) => svg.querySelector(`.m:not(.quiet, .off)[data-m="${CSS.escape(name)}"]`));
    said.value = loud.map((name) => `${TITLES[name]}: ${rowsOf(data, name)[slider.value]}`).join("\n");
  });
}

function drawFigure(figure) {
  const [place, open] = [".drawing", ".open"].map((part) => figure.querySelector(part));
  if (place.firstChild) return;
  const [drawn, data] = DATA.figures[figure.id];
  place.innerHTML = drawn;
  const svg = place.querySelector("svg"), marks = all(".m", svg), words = make("span");
  const names = [...new Set(marks.map((mark) => mark.dataset.m))].filter((method) => method in TITLES);
  const button = (text, act) => {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
  };
  figure.append(make("p", { class: "data" },
    button("Data (CSV)", () => save(`${data.trim()}\n`, `${figure.id}.csv`, "text/csv")), " ",
    button("Picture (SVG)", () => save(vector(svg), `${figure.id}.svg`, "image/svg+xml")), " ", words));
  if (figure.querySelector("output")) slide(figure, svg, data, names);
  let pinned = null;
  function show(method) {
    svg.classList.toggle("focus", method !== null);
    for (const mark of marks) mark.classList.toggle("on", mark.dataset.m === method);
    const rows = method === null ? [] : rowsOf(data, method);
    const numbers = rows.length && rows.length <= 12 ? `: ${rows.join("; ")}` : "";
    words.textContent = method === null ? "" : TITLES[method] + numbers;
  }
  const pin = (method) => show(pinned = method);
  function toggle() {
    const large = figure.classList.toggle("large");
    open.ariaExpanded = String(large);
  }
  svg.tabIndex = 0;
  const markOf = (event) => event.target.closest(".m")?.dataset.m ?? null;
  open.addEventListener("click", toggle);
  svg.addEventListener("mouseover", (event) => { if (pinned === null) show(markOf(event)); });
  svg.addEventListener("mouseleave", () => { if (pinned === null) show(null); });
  svg.addEventListener("blur", () => pin(null));
  svg.addEventListener("click", (event) => pin(markOf(event) === pinned ? null : markOf(event)));
  onArrows(svg, (step) => names.length > 0 && pin(names[(names.indexOf(pinned) + step + names.length) % names.length]));
}

/** Colour is for those that lead and the baseline; the others are grey until pointed at. */
function quieten(section, highlighted) {
  const loud = [...highlighted, DATA.baseline, state.against];
  for (const mark of all("[data-m], tr[data-method]", section)) {
    mark.classList.toggle("quiet", !loud.includes(mark.dataset.m ?? mark.dataset.method));
  }
  for (const figure of all("figure", section)) {  // where none of them is drawn, all keep their colours
    if (!figure.querySelector(".m:not(.quiet)")) for (const mark of all(".m", figure)) mark.classList.remove("quiet");
    figure.querySelector("[type=range]")?.dispatchEvent(new Event("input"));
  }
}
