// The pages of a site, from the columns of its data block.

const STATES = { s: "sharp", c: "changed", o: "single", u: "unknown", e: "error" };
const SHOWN_STATES = { sharp: "unchanged", changed: "changed", single: "captured once", unknown: "cannot be compared", error: "error page" };

/** Intervals of all pages: those of page p are from[at[p]] to from[at[p + 1]]. */
function intervals(flat, pages) {
  const at = new Uint32Array(pages + 1);
  const from = [];
  const to = [];
  let place = 0;
  for (let page = 0; page < pages; page++) {
    const number = flat[place++];
    for (let i = 0; i < number; i++, place += 2) {
      from.push(flat[place]);
      to.push(flat[place] + flat[place + 1]);
    }
    at[page + 1] = from.length;
  }
  return { at, from: Float64Array.from(from), to: Float64Array.from(to) };
}

/** Reads the data of site number `site`; null where there is none. */
function readPages(site) {
  const block = document.getElementById(`data-${site}`);
  if (!block) return null;
  const data = JSON.parse(block.textContent);
  const number = data.state.length;
  const url = new Array(number);
  let before = "";
  for (let page = 0; page < number; page++) {
    before = before.slice(0, data.url[2 * page]) + data.url[2 * page + 1];
    url[page] = before;
  }
  const puny = new Map();
  for (let i = 0; i < data.puny.length; i += 2) puny.set(data.puny[i], data.puny[i + 1]);
  return {
    ...data,
    number,
    site,
    url,
    puny,
    stateOf: (page) => STATES[data.state[page]],
    reasonOf: (page) => data.reason_words[data.reason[page]],
    gradeOf: (page) => data.grade_words[data.grade[page]],
    proven: intervals(data.proven, number),
    claimed: intervals(data.claimed, number),
    changes: intervals(data.changes, number),
    clock: (units) => clock(data.from + units * data.unit),
    reviews: new Map(data.review.filter((_, i) => i % 2 === 0).map((row, i) => [row, data.review[2 * i + 1]])),
    /** Where a capture can be replayed; null where nobody said. */
    replayOf: (page, units) => {
      if (!data.replay) return null;
      const time = clock(data.from + units * data.unit).replace(/\D/g, "");
      // Replaced by functions: a "$" in a URL means nothing.
      return data.replay.replace("{timestamp}", () => time).replace("{url}", () => data.before_words[data.before[page]] + url[page]);
    },
  };
}

/** Whether a version of a page is proven at an instant. */
function isProven(pages, page, at) {
  // What looks like an error page is not judged.
  if (pages.error[page]) return false;
  const { proven } = pages;
  for (let i = proven.at[page]; i < proven.at[page + 1]; i++) {
    if (proven.from[i] <= at && at <= proven.to[i]) return true;
  }
  return false;
}
