// Tables that the report has already: sorted by their headers, filtered by a word.

function sortableTable(table) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const title = header.textContent.trim();
    if (!title || header.querySelector(".away")) return;
    const numeric = header.dataset.kind === "number";
    const sort = element("button", { type: "button" }, ...header.childNodes);
    header.replaceChildren(sort);
    header.setAttribute("aria-sort", "none");
    sort.addEventListener("click", () => {
      const descending = header.getAttribute("aria-sort") === (numeric ? "none" : "ascending");
      headers.forEach((other) => other.hasAttribute("aria-sort") && other.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [cellValue(row.cells[column], numeric), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return (descending ? -1 : 1) * (numeric ? a - b : a < b ? -1 : Number(a > b));
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}

function cellValue(cell, numeric) {
  const text = cell.dataset.value ?? cell.textContent.trim();
  if (!numeric) return text;
  const number = Number.parseFloat(text.replace(/^(over|under|<|>) ?/, "").replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

function filteredTable(search) {
  const table = document.getElementById(search.dataset.filter);
  const said = element("span", { role: "status", class: "said" });
  search.closest(".tools").append(said);
  search.addEventListener("input", perFrame(() => {
    const wanted = search.value.trim().toLowerCase();
    let found = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = wanted !== "" && !row.cells[0].textContent.toLowerCase().includes(wanted);
      found += row.hidden ? 0 : 1;
    }
    said.textContent = found === 0 ? "Nothing fits the filter." : "";
  }));
}

/** Copies the missing URLs, one a line, for a crawler to fetch; they are shown where a browser does not let them be copied. */
function copyList(button) {
  const said = button.parentElement.querySelector(".said");
  button.addEventListener("click", async () => {
    const { missing } = pagesOf(button.dataset.copy);
    const text = missing.map((url) => `${url}\n`).join("");
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = `${count(missing.length, "URL")} copied, one a line`;
    } catch {
      const area = element("textarea", { readonly: true, rows: 8, "aria-label": "Crawl list" });
      area.value = text;
      button.parentElement.append(area);
      area.select();
      said.textContent = `${count(missing.length, "URL")}: copy them from the field`;
      button.disabled = true;
    }
  });
}
