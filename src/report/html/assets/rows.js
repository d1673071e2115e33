// Long lists: only the rows that are seen are there.

/** Draws the rows in sight of a region again when it is scrolled or resized. `draw(first, last)` makes them. */
function inSight(region, height, number, draw) {
  const paint = perFrame(() => {
    const first = Math.max(0, Math.floor(region.scrollTop / height) - 4);
    const last = Math.min(number(), Math.ceil((region.scrollTop + region.clientHeight) / height) + 4);
    draw(first, Math.max(first, last));
  });
  region.addEventListener("scroll", paint, { passive: true });
  new ResizeObserver(paint).observe(region);
  return paint;
}

/** The pages in an order: a permutation of their numbers. */
function ordered(pages, key, descending, chosen) {
  const order = chosen ?? Uint32Array.from({ length: pages.number }, (_, page) => page);
  const sign = descending ? -1 : 1;
  const rank = { s: 4, c: 0, o: 3, u: 2, e: 1 };
  const value = {
    address: null,
    state: (page) => rank[pages.state[page]],
    time: (page) => pages.first[page],
    importance: (page) => pages.importance[page],
    rate: (page) => pages.rate[page],
    blur: (page) => pages.blur[page],
    complete: (page) => pages.complete[page],
    looks: (page) => pages.looks[page],
  }[key];
  if (!value) return order.sort((a, b) => sign * (pages.url[a] < pages.url[b] ? -1 : pages.url[a] > pages.url[b] ? 1 : a - b));
  return order.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    // What is unknown stands last in either direction.
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return sign * (x - y) || a - b;
  });
}
