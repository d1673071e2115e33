// The drawings of the timeline: rows of pages, all pages in one picture, coverage, axis.

/** Rows `first` to `last` of the order, as one drawing: few elements, however many marks. */
function drawRows(pages, order, first, last, scale, height) {
  const paths = {};
  const add = (name, path) => (paths[name] = (paths[name] ?? "") + path);
  const far = scale.width + 4;
  const place = (at) => Math.round(10 * Math.max(-4, Math.min(far, scale.place(at)))) / 10;
  const dot = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  for (let row = first; row < last; row++) {
    const page = order[row];
    const state = pages.stateOf(page);
    const y = (row - first + 0.5) * height;
    const [from, to] = [place(pages.first[page]), place(pages.last[page])];
    if (to > from) add(`life ${state}`, `M${from} ${y}H${to}`);
    const { proven, changes } = pages;
    for (let i = proven.at[page]; i < proven.at[page + 1]; i++) {
      const [a, b] = [place(proven.from[i]), place(proven.to[i])];
      add(`proven ${pages.gradeOf(page)} ${state}`, `M${a} ${y - 4}H${Math.max(b, a + 1.5)}V${y + 4}H${a}Z`);
    }
    for (let i = changes.at[page]; i < changes.at[page + 1]; i++) {
      const [a, b] = [place(changes.from[i]), place(changes.to[i])];
      add("interval", `M${a} ${y}H${Math.max(b, a + 2)}`);
    }
    if (from === to) add(`look ${state}`, dot(from, y, 3.5));
    else add(`look ${state}`, dot(from, y, 2.5) + dot(to, y, 2.5));
  }
  const rank = ["life", "interval", "proven", "look"];
  const names = Object.keys(paths).sort((a, b) => rank.indexOf(a.split(" ")[0]) - rank.indexOf(b.split(" ")[0]));
  return names.map((name) => drawn("path", { class: name, d: paths[name] }));
}

/** All pages in one picture: bands of pages by stretches of time, darker the more of them are proven; changes on top. */
function drawAll(pages, order, scale, height) {
  const bands = Math.max(1, Math.min(order.length, Math.floor(height / 2)));
  const columns = Math.max(1, Math.floor(scale.width / 3));
  const proven = new Int32Array(bands * (columns + 1));
  const changed = new Int32Array(bands * (columns + 1));
  const sizes = new Int32Array(bands);
  const column = (at) => Math.max(0, Math.min(columns, Math.floor((scale.place(at) / scale.width) * columns)));
  const seen = (from, to) => scale.place(to) >= 0 && scale.place(from) <= scale.width;
  for (let row = 0; row < order.length; row++) {
    const page = order[row];
    const band = Math.floor((row * bands) / order.length);
    sizes[band]++;
    for (const [list, sums] of [[pages.proven, proven], [pages.changes, changed]]) {
      for (let i = list.at[page]; i < list.at[page + 1]; i++) {
        if (!seen(list.from[i], list.to[i])) continue;
        sums[band * (columns + 1) + column(list.from[i])]++;
        sums[band * (columns + 1) + Math.min(columns, column(list.to[i]) + 1)]--;
      }
    }
  }
  const paths = {};
  const tall = height / bands;
  const wide = scale.width / columns;
  for (const [name, sums] of [["share", proven], ["shift", changed]]) {
    for (let band = 0; band < bands; band++) {
      let [sum, level, since] = [0, 0, 0];
      for (let x = 0; x <= columns; x++) {
        sum += sums[band * (columns + 1) + x];
        const now = x === columns || sum <= 0 ? 0 : Math.min(4, Math.ceil((4 * sum) / sizes[band]));
        if (now === level) continue;
        if (level > 0) {
          const path = `M${(since * wide).toFixed(1)} ${(band * tall).toFixed(1)}H${(x * wide).toFixed(1)}v${tall.toFixed(1)}H${(since * wide).toFixed(1)}Z`;
          paths[`${name} l${level}`] = (paths[`${name} l${level}`] ?? "") + path;
        }
        [level, since] = [now, x];
      }
    }
  }
  return Object.keys(paths).sort().map((name) => drawn("path", { class: name, d: paths[name] }));
}

/** Coverage C(t) as steps, with the best intervals behind it. */
function drawCoverage(pages, scale, height) {
  const clip = (at) => Math.max(-2, Math.min(scale.width + 2, scale.place(at)));
  const nodes = [];
  for (const name of pages.full.length ? ["full"] : ["best"]) {
    for (let i = 0; i < pages[name].length; i += 2) {
      const [from, to] = [clip(pages[name][i]), clip(pages[name][i + 1])];
      if (to > 0 && from < scale.width) nodes.push(drawn("rect", { class: `band ${name}`, x: from, y: 0, width: Math.max(1.5, to - from), height }));
    }
  }
  let path = `M-2 ${height}`;
  for (let i = 0; i < pages.curve.length; i += 2) {
    path += `H${clip(pages.curve[i]).toFixed(1)}V${(height - (0.96 * height * pages.curve[i + 1]) / Math.max(1, pages.judged)).toFixed(1)}`;
  }
  path += `H${scale.width + 2}V${height}`;
  nodes.push(drawn("path", { class: "area", d: path }), drawn("path", { class: "curve", d: path }));
  return nodes;
}

const MINUTE = 6e7;
const TICKS = [1e6, 5e6, 15e6, 30e6, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 180 * MINUTE, 360 * MINUTE, 720 * MINUTE, ...[1, 2, 7, 30, 91, 365, 1826, 3652, 36525].map((days) => days * 1440 * MINUTE)];

function drawAxis(pages, scale) {
  const length = (scale.to - scale.from) * pages.unit;
  const most = Math.max(2, Math.floor(scale.width / 110));
  const step = TICKS.find((tick) => length / tick <= most) ?? length;
  const start = pages.from + scale.from * pages.unit;
  const nodes = [];
  for (let at = Math.ceil(start / step) * step; at <= start + length; at += step) {
    const x = scale.place((at - pages.from) / pages.unit);
    const text = clock(at);
    const label = step >= 1440 * MINUTE ? text.slice(0, 10) : step >= MINUTE ? text.slice(11, 16) : text.slice(11);
    const anchor = x < 30 ? "start" : x > scale.width - 30 ? "end" : "middle";
    nodes.push(drawn("line", { class: "tick", x1: x, x2: x, y1: 0, y2: 4 }), drawn("text", { class: "label", x, y: 16, "text-anchor": anchor }, label));
  }
  return nodes;
}
