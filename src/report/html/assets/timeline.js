// The timeline: all pages, a cursor for a date, a zoom.

const STRIP = 20;
const LISTED = 200;
// Room for the marks at both ends.
const INSET = 6;

function timelineView(host, pages) {
  const span = Math.max(1, pages.span);
  let [from, to] = [0, span];
  let at = pages.best.length ? pages.best[0] : 0;
  let order = ordered(pages, "time", false);
  let whole = false;

  const sort = element("select", { "aria-label": "Sort pages by" }, ...[["time", "by time"], ["importance", "by importance"], ["state", "by state"], ["address", "by address"]].map(([value, name]) => element("option", { value }, name)));
  const picture = element("button", { type: "button", "aria-pressed": "false" }, "All in one picture");
  const button = (name, title, act) => element("button", { type: "button", title, onclick: act }, name);
  const slider = element("input", { type: "range", min: 0, max: span, step: "any", "aria-label": "Date", class: "cursor-slider" });
  const said = element("output", { class: "said", "aria-live": "polite" });
  // Without anything proven there is nothing to draw above the pages.
  const tall = pages.best.length ? 56 : 1;
  const coverage = drawn("svg", { class: "tl-coverage", width: "100%", height: tall, "aria-hidden": "true" });
  const axis = drawn("svg", { class: "axis", width: "100%", height: 20, "aria-hidden": "true" });
  const space = element("div", { class: "tl-space" });
  const labels = element("div", { class: "tl-labels" });
  const rows = drawn("svg", { class: "tl-rows", width: "100%", height: 10, "aria-hidden": "true" });
  const body = element("div", { class: "tl-body", tabindex: 0, role: "region", "aria-label": `Timeline of ${count(pages.number, "page")}` }, element("div", { class: "tl-window" }, labels, rows), space);
  const line = element("div", { class: "tl-cursor" });
  const list = element("div", { class: "instant-lists" });
  const summary = element("summary", {});
  const instant = element("details", { class: "instant" }, summary, list);
  const view = body.firstChild;

  const scale = () => {
    const width = Math.max(40, coverage.getBoundingClientRect().width || 600);
    const inner = width - 2 * INSET;
    return { from, to, width, place: (t) => INSET + ((t - from) / (to - from)) * inner, at: (x) => from + ((x - INSET) / inner) * (to - from) };
  };

  const paintRows = inSight(body, STRIP, () => (whole ? 0 : order.length), (first, last) => {
    const now = scale();
    rows.setAttribute("width", now.width);
    if (whole) {
      const height = body.clientHeight - 2;
      view.style.transform = "none";
      rows.setAttribute("height", height);
      rows.replaceChildren(...drawAll(pages, order, now, height));
      labels.replaceChildren(element("p", { class: "note" }, `${count(order.length, "page")} in bands; darker: more of them proven; red: times in which pages changed`));
      return;
    }
    view.style.transform = `translateY(${first * STRIP}px)`;
    rows.setAttribute("height", Math.max(1, (last - first) * STRIP));
    rows.replaceChildren(...drawRows(pages, order, first, last, now, STRIP));
    const names = [];
    for (let row = first; row < last; row++) {
      const name = element("div", { class: isProven(pages, order[row], at) ? "name on" : "name" }, opener(pages, order[row], 120));
      names.push(name);
    }
    labels.replaceChildren(...names);
  });

  function paint() {
    const now = scale();
    coverage.replaceChildren(...(pages.best.length ? drawCoverage(pages, now, tall) : []));
    axis.replaceChildren(...drawAxis(pages, now));
    space.style.height = `${whole ? 0 : order.length * STRIP}px`;
    paintRows();
    mark();
  }

  /** The cursor: its line, the count, and the list if it is open. */
  function mark() {
    const now = scale();
    const x = now.place(at);
    line.hidden = x < 0 || x > now.width;
    line.style.transform = `translateX(${x}px)`;
    let proven = 0;
    for (let page = 0; page < pages.number; page++) if (isProven(pages, page, at)) proven++;
    const text = `${pages.clock(at)} UTC: ${proven} of ${count(pages.judged, "page")} proven`;
    said.textContent = text;
    slider.value = at;
    slider.setAttribute("aria-valuetext", text);
    summary.textContent = `The pages at this moment: ${proven} proven, ${pages.judged - proven} not`;
    if (instant.open) listThem();
  }

  function listThem() {
    const parts = { Proven: [], "Not proven": [] };
    for (const page of order) if (!pages.error[page]) (isProven(pages, page, at) ? parts.Proven : parts["Not proven"]).push(page);
    list.replaceChildren(
      ...Object.entries(parts).map(([title, found]) =>
        element(
          "div",
          {},
          element("h3", {}, `${title}: ${found.length}`),
          element("ul", { class: "plain" }, ...found.slice(0, LISTED).map((page) => element("li", {}, opener(pages, page, 160)))),
          found.length > LISTED ? element("p", { class: "note" }, `and ${found.length - LISTED} more`) : null,
        ),
      ),
    );
  }

  const marked = perFrame(() => {
    mark();
    paintRows();
  });
  function move(t) {
    at = Math.max(0, Math.min(span, Math.round(t)));
    marked();
  }
  function zoom(factor) {
    const middle = at >= from && at <= to ? at : (from + to) / 2;
    const length = Math.min(span, Math.max((to - from) * factor, Math.min(span, 4)));
    from = Math.max(0, Math.min(span - length, middle - ((middle - from) / (to - from)) * length));
    to = from + length;
    paint();
  }
  function shift(share) {
    const length = to - from;
    from = Math.max(0, Math.min(span - length, from + share * length));
    to = from + length;
    paint();
  }
  /** The next instant, in a direction, at which the count changes. */
  function step(forward) {
    let next = null;
    for (let i = 0; i < pages.curve.length; i += 2) {
      const t = pages.curve[i];
      if (forward ? t > at : t < at) {
        next = t;
        if (forward) break;
      }
    }
    if (next !== null) move(next);
  }
  function point(event) {
    const box = coverage.getBoundingClientRect();
    move(scale().at(event.clientX - box.left));
  }

  sort.addEventListener("change", () => {
    order = ordered(pages, sort.value, sort.value === "importance");
    body.scrollTop = 0;
    paint();
  });
  picture.addEventListener("click", () => {
    whole = !whole;
    picture.setAttribute("aria-pressed", String(whole));
    body.classList.toggle("whole", whole);
    body.scrollTop = 0;
    paint();
  });
  slider.addEventListener("input", () => move(Number(slider.value)));
  instant.addEventListener("toggle", () => instant.open && listThem());
  for (const target of [coverage, rows]) {
    target.addEventListener("pointerdown", (event) => {
      target.setPointerCapture(event.pointerId);
      point(event);
    });
    target.addEventListener("pointermove", (event) => event.buttons & 1 && point(event));
  }
  body.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8);
  }, { passive: false });

  body.classList.toggle("short", pages.number * STRIP < 420);
  host.append(
    element("div", { class: "tools" }, sort, picture,
      button("Zoom in", "Show less time around the cursor", () => zoom(0.5)),
      button("Zoom out", "Show more time", () => zoom(2)),
      button("←", "Earlier", () => shift(-0.25)),
      button("→", "Later", () => shift(0.25)),
      button("Whole time", "Show the whole time", () => { [from, to] = [0, span]; paint(); })),
    element("div", { class: "tools cursor" },
      button("Best moment", "Go to the first moment at which most pages are known to be online", () => pages.best.length && move(pages.best[0])),
      button("‹", "Go to the previous change of the count", () => step(false)),
      slider,
      button("›", "Go to the next change of the count", () => step(true)),
      said),
    element("div", { class: "tl" },
      element("div", { class: "tl-head" }, element("div", { class: "tl-gutter" }, pages.best.length ? "coverage" : ""), element("div", { class: "tl-plot" }, coverage)),
      body,
      element("div", { class: "tl-head" }, element("div", { class: "tl-gutter" }), element("div", { class: "tl-plot" }, axis)),
      element("div", { class: "tl-over" }, line)),
    instant,
  );
  if (!pages.best.length) host.querySelector(".tools.cursor button").disabled = true;
  new ResizeObserver(perFrame(paint)).observe(host);
  paint();
}
