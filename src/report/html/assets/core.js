// Elements, text and figures. Text enters the page by textContent alone; the policy of the page forbids the rest.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, listeners (names that begin with "on") and children; null and false are left out. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element of a drawing. */
function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

// Characters that act or mislead: controls, separators, direction overrides, what is not seen. As `escape.rs` has them.
const TREACHEROUS =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Archived text as nodes: in its own direction, with visible marks for what would mislead. */
function foreign(text, longest = 2000) {
  const node = element("bdi");
  const shown = text.length > longest ? text.slice(0, longest) : text;
  let done = 0;
  for (const found of shown.matchAll(TREACHEROUS)) {
    node.append(shown.slice(done, found.index));
    node.append(element("span", { class: "esc" }, `\\u{${found[0].codePointAt(0).toString(16)}}`));
    done = found.index + found[0].length;
  }
  node.append(shown.slice(done));
  if (shown.length < text.length) node.append(element("span", { class: "esc" }, `… ${text.length - shown.length} more characters`));
  return node;
}

// Letters that run from right to left. Left to themselves they would turn the parts of a URL around.
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+/gu;

/** A URL of a page: its parts in their order; a host of another script has its ASCII form beside it. */
function address(pages, row, longest = 2000) {
  const url = pages.url[row];
  const node = element("span", { class: "url", dir: "ltr" });
  let done = 0;
  for (const found of url.slice(0, longest).matchAll(LEFTWARD)) {
    node.append(foreign(url.slice(done, found.index)), foreign(found[0]));
    done = found.index + found[0].length;
  }
  node.append(foreign(url.slice(done), Math.max(1, longest - done)));
  const puny = pages.puny.get(row);
  return puny ? element("span", {}, node, " ", element("span", { class: "puny" }, foreign(puny))) : node;
}

/** A number of 0 or more; as `format/number.rs` writes it. */
function figure(value) {
  if (value === null) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.01) return "under 0.01";
  if (size < 0.995) return value.toFixed(2);
  return size < 9.95 ? value.toFixed(1) : value.toFixed(0);
}

/** A share that never rounds to all or nothing when it is not. */
function percent(share) {
  if (share === null) return "–";
  const value = 100 * share;
  if (value > 99 && value < 100) return "over 99%";
  if (value > 0 && value < 1) return "under 1%";
  // Never rounded up to a cut between two bands.
  const rounded = [70, 95].some((cut) => value < cut && Math.round(value) >= cut) ? Math.floor(value) : Math.round(value);
  return `${rounded}%`;
}

/** An instant, in microseconds, to the second; UTC. */
function clock(micros) {
  const date = new Date(Math.floor(micros / 1e6) * 1000);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().replace("T", " ").replace(/(\.\d+)?Z$/, "");
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Calls once for many events in a row: at the next frame. */
function perFrame(call) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      call();
    });
  };
}
