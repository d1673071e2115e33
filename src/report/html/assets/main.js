// What makes the page alive.

document.documentElement.classList.add("js");
document.body.append(storyDialog);

const read = new Map();
function pagesOf(site) {
  if (!read.has(site)) read.set(site, readPages(site));
  return read.get(site);
}

const VIEWS = { timeline: timelineView, pages: pagesView };
/** Makes the views of a site, once. */
function wake(site) {
  for (const host of site.querySelectorAll("[data-live]:not([data-ready])")) {
    const pages = pagesOf(host.dataset.site);
    if (pages) VIEWS[host.dataset.live](host, pages);
    host.dataset.ready = "";
  }
}

for (const table of document.querySelectorAll("table.sortable")) sortableTable(table);
for (const search of document.querySelectorAll("[data-filter]")) filteredTable(search);
for (const button of document.querySelectorAll("[data-copy]")) copyList(button);

/** What the address of the page leads to; views that were made above it have moved it. */
function settle() {
  const target = /^#[\w-]+$/.test(location.hash) ? document.querySelector(location.hash) : null;
  if (target?.tagName === "DETAILS") target.open = true;
  target?.scrollIntoView({ behavior: "instant" });
}

const sites = [...document.querySelectorAll("article.site")];
if (sites.length === 1) {
  // First the page is seen, then it comes alive.
  requestAnimationFrame(() => setTimeout(() => {
    wake(sites[0]);
    settle();
  }));
} else if (sites.length > 1) {
  // Of several sites one is shown at a time.
  const picker = element("select", { "aria-label": "Site" }, ...sites.map((site, number) => element("option", { value: number }, site.dataset.name.slice(0, 80))));
  const show = (number) => {
    sites.forEach((site, other) => (site.hidden = other !== number));
    picker.value = String(number);
    for (const link of document.querySelectorAll("[data-view]")) link.setAttribute("href", `#s${number}-${link.dataset.view}`);
    wake(sites[number]);
  };
  picker.addEventListener("change", () => {
    show(Number(picker.value));
    sites[Number(picker.value)].scrollIntoView();
  });
  document.querySelector("nav.views ul").append(element("li", { class: "picker" }, picker));
  const follow = () => {
    const found = /^#s(\d+)/.exec(location.hash);
    if (found && sites[Number(found[1])]) show(Number(found[1]));
    if (found) settle();
  };
  addEventListener("hashchange", follow);
  show(0);
  follow();
}

// Links to stories open them.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href*='-t']");
  const found = link && /^#s(\d+)-t(\d+)$/.exec(link.getAttribute("href"));
  const pages = found && pagesOf(found[1]);
  if (!pages) return;
  const page = pages.place.indexOf(Number(found[2]));
  if (page >= 0) {
    event.preventDefault();
    openStory(pages, page);
  }
});
