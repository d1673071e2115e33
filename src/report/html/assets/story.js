// A page's story in a dialog: the one the report tells, or what its columns say.

const storyDialog = element("dialog", { class: "story", "aria-labelledby": "story-title" });

function openStory(pages, page) {
  const told = pages.story[page] ? document.getElementById(`s${pages.site}-t${pages.place[page]}`) : null;
  const title = element("h2", { id: "story-title" }, address(pages, page, 160));
  const close = element("button", { type: "button", class: "close", onclick: () => storyDialog.close() }, "Close");
  storyDialog.replaceChildren(element("div", { class: "bar" }, title, close), told ? copyOf(told) : summary(pages, page));
  storyDialog.showModal();
  storyDialog.scrollTop = 0;
}

function copyOf(told) {
  const copy = told.cloneNode(true);
  copy.removeAttribute("id");
  return copy;
}

function summary(pages, page) {
  const state = pages.stateOf(page);
  const times = (list) => {
    const items = [];
    for (let i = list.at[page]; i < list.at[page + 1]; i++) {
      items.push(element("li", {}, `${pages.clock(list.from[i])} to ${pages.clock(list.to[i])}`));
    }
    return items;
  };
  const part = (title, items) => (items.length ? [element("h4", {}, title), element("ul", { class: "notes" }, ...items)] : []);
  const grade = pages.gradeOf(page);
  return element(
    "div",
    { class: "told" },
    element("p", { class: "whole" }, address(pages, page)),
    element("p", {}, element("span", { class: `state ${state}` }, SHOWN_STATES[state]), " ", foreign(pages.reasonOf(page)), "."),
    element(
      "ul",
      { class: "notes" },
      element("li", {}, `${count(pages.looks[page], "capture")}, from ${pages.clock(pages.first[page])} to ${pages.clock(pages.last[page])} UTC`),
      element("li", {}, `${count(pages.versions[page], "version")} seen for certain${grade ? `, by ${grade}` : ""}`),
      element("li", {}, `importance ${figure(pages.importance[page])}, ${figure(pages.rate[page])} changes a day, ${figure(pages.blur[page])} versions away, versions captured ${percent(pages.complete[page])}`),
    ),
    pages.reviews.has(page) ? element("p", {}, element("span", { class: "review" }, foreign(pages.reviews.get(page)))) : null,
    ...part("Proven", times(pages.proven)),
    ...part("Claimed by the server", times(pages.claimed)),
    ...part("Changed between", times(pages.changes)),
    element("p", { class: "note" }, "Its captures one by one: acuity audit --explain URL, or --stories N for more pages of this report."),
  );
}

/** What opens the story of a page. */
function opener(pages, page, longest) {
  return element("button", { type: "button", class: "open", onclick: () => openStory(pages, page) }, address(pages, page, longest));
}
