// The table of pages: sorted, filtered, each opening its story.

const ROW = 36;
const COLUMNS = [
  ["address", "Page", ""],
  ["state", "State", ""],
  ["importance", "Importance", "number"],
  ["rate", "Changes a day", "number"],
  ["blur", "Versions away", "number"],
  ["complete", "Versions", "number"],
  ["looks", "Captures", "number"],
];

function pagesView(host, pages) {
  let [key, descending] = ["blur", true];
  let rows = [];
  const states = new Set(Object.keys(STATES));
  const status = element("span", { role: "status", class: "said" });
  const search = element("input", { type: "search", "aria-label": "Filter pages by address", placeholder: "Filter by address", autocomplete: "off", spellcheck: "false" });
  const boxes = Object.entries(STATES).map(([letter, state]) => {
    const box = element("input", { type: "checkbox", "data-state": state });
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) states.add(letter);
      else states.delete(letter);
      refresh();
    });
    return element("label", { class: "check" }, box, element("span", { class: `state ${state}` }, SHOWN_STATES[state]));
  });
  const headers = COLUMNS.map(([name, title, kind]) => {
    const sort = element("button", { type: "button", "data-sort": name }, title);
    sort.addEventListener("click", () => {
      [key, descending] = [name, key === name ? !descending : kind === "number"];
      refresh();
    });
    return element("th", { scope: "col", class: `${kind} c-${name}` }, sort);
  });
  const body = element("tbody");
  const table = element("table", { class: "list pages-table", "aria-rowcount": pages.number + 1 }, element("caption", { class: "away" }, "Pages"), element("thead", {}, element("tr", { "aria-rowindex": 1 }, ...headers)), body);
  const region = element("div", { class: "scroll virtual", tabindex: 0, role: "region", "aria-label": "Pages, a long table" }, table);
  const paint = inSight(region, ROW, () => rows.length, (first, last) => {
    const space = (height) => {
      const row = element("tr", { class: "space", "aria-hidden": "true" }, element("td"));
      row.style.height = `${height}px`;
      return row;
    };
    const shown = [];
    for (let place = first; place < last; place++) shown.push(pageRow(pages, rows[place], place + 2));
    if (rows.length === 0) shown.push(element("tr", { class: "none" }, element("td", { colspan: COLUMNS.length }, "No page fits the filter.")));
    body.replaceChildren(space(first * ROW), ...shown, space((rows.length - last) * ROW));
  });

  function refresh() {
    const wanted = search.value.trim().toLowerCase();
    const chosen = [];
    for (let page = 0; page < pages.number; page++) {
      if (states.has(pages.state[page]) && (!wanted || pages.url[page].toLowerCase().includes(wanted))) chosen.push(page);
    }
    rows = ordered(pages, key, descending, chosen);
    headers.forEach((header, place) => header.setAttribute("aria-sort", COLUMNS[place][0] === key ? (descending ? "descending" : "ascending") : "none"));
    table.setAttribute("aria-rowcount", rows.length + 1);
    const all = pages.number === pages.total ? "" : ` (${pages.total - pages.number} more, of the least weight, are in the JSON)`;
    status.textContent = `${rows.length} of ${count(pages.number, "page")}${all}`;
    region.scrollTop = 0;
    paint();
  }

  search.addEventListener("input", perFrame(refresh));
  host.append(element("div", { class: "tools" }, search, ...boxes, status), region);
  refresh();
}

/** A link to where a page can be replayed. */
function replayLink(pages, page) {
  const address = pages.replayOf(page, pages.last[page]);
  return address && /^https?:\/\//.test(address) ? element("a", { class: "replay", href: address, rel: "noreferrer noopener", target: "_blank" }, "replay") : null;
}

/** What somebody said of a page. */
function reviewMark(pages, page) {
  const said = pages.reviews.get(page);
  return said ? element("span", { class: "review", title: said }, foreign(said, 80)) : null;
}

function pageRow(pages, page, index) {
  const state = pages.stateOf(page);
  const number = (name, text) => element("td", { class: `number c-${name}` }, text);
  return element(
    "tr",
    { "aria-rowindex": index },
    element("th", { scope: "row" }, opener(pages, page, 160), replayLink(pages, page), reviewMark(pages, page)),
    element("td", {}, element("span", { class: `state ${state}` }, SHOWN_STATES[state])),
    number("importance", figure(pages.importance[page])),
    number("rate", figure(pages.rate[page])),
    number("blur", figure(pages.blur[page])),
    number("complete", percent(pages.complete[page])),
    number("looks", String(pages.looks[page])),
  );
}
