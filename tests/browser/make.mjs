// What the tests look at: reports of the demo, of a hostile archive, of many sites and of a hundred thousand pages.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PROGRAM = process.env.ACUITY_BIN ?? join(ROOT, "target", "debug", "acuity");
export const FOLDER = mkdtempSync(join(tmpdir(), "acuity-html-"));

/** Runs the program in the folder of the tests. Exit code 1 means a verdict, and is fine. */
export function acuity(...words) {
  try {
    return execFileSync(PROGRAM, words, { cwd: FOLDER, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw new Error(`acuity ${words.join(" ")}: ${error.stderr}`);
  }
}

export const path = (name) => join(FOLDER, name);
export const json = (name) => JSON.parse(readFileSync(path(name), "utf8"));
export const size = (name) => statSync(path(name)).size;
const DEMO = ["visit.warc.gz", "revisit.warc.gz"].map((name) => join(ROOT, "fixtures", "demo", name));

/** The demo, a small site crawled twice: as HTML and as the JSON that it must agree with. */
export function demo() {
  acuity("audit", "--visit", DEMO[0], "--revisit", DEMO[1], "--html", "demo.html", "--json=demo.json", "-q");
  return "demo";
}

/** The demo as the README shows it: its page is the same on every machine. Gives the name of the file. */
export function picture() {
  execFileSync(PROGRAM, ["audit", "fixtures/demo", "--html", path("picture.html"), "-q"], { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
  return "picture.html";
}

/** The demo after its first pass, with a review; a collection; and one pass alone. */
export function overTime() {
  acuity("audit", DEMO[0], "--html", "once.html", "--json=once.json", "-q");
  writeFileSync(path("review.csv"), "url,rating,note\n/,poor,<b>banner</b> missing\n");
  const replay = "http://localhost:8080/all/{timestamp}/{url}";
  acuity("audit", ...DEMO, "--compare-with", "once.json", "--review", "review.csv", "--replay", replay, "--html", "since.html", "--json=since.json", "-q");
  collection();
}

/** The next crawl of the demo: twice, and once. */
export function schedule() {
  acuity("schedule", ...DEMO, "--html", "schedule.html", "--json=schedule.json", "-q");
  acuity("schedule", ...DEMO, "--single-visit", "--start", "2030-01-01T06:00:00Z", "--html", "single.html", "--json=single.json", "-q");
  return ["schedule", "single"];
}

/** What stood on the demo at a date; of the hostile archive too, once that is made. */
export function at() {
  acuity("at", "2024-03-04T09:15:00Z", ...DEMO, "--phrase", "Isbister", "--phrase", "<script>alert(8)</script>\u202e", "--html", "at.html", "--json=at.json", "-q");
  hostile();
  acuity("at", "2024-01-01T00:30:00Z", HOSTILE, "--phrase", "version", "--url", `http://evil.example${EVIL[0]}`, "--url", "http://<img src=x onerror=alert(9)>/\u202e", "--html", "at-hostile.html", "--json=at-hostile.json", "-q");
  acuity("report", "at.json", "--html", "at-again.html");
  return ["at", "at-hostile"];
}

const HOSTILE = "<img src=x onerror=alert(7)>\u202e.warc";
const sha1 = (body) => `sha1:${createHash("sha1").update(body).digest("hex")}`;

function record(number, url, time, head, body) {
  const block = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), Buffer.from(body)]);
  const id = String(number).padStart(12, "0");
  const fields = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-${id}>\r\nWARC-Date: ${time}\r\nWARC-Target-URI: ${url}\r\nContent-Type: application/http; msgtype=response\r\nWARC-Payload-Digest: ${sha1(Buffer.from(body))}\r\nContent-Length: ${block.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(fields), block, Buffer.from("\r\n\r\n")]);
}

/** Text that tries to run, to leave its element, to mislead, or to be too long. */
export const EVIL = [
  "/<script>alert(1)</script>",
  "/</script><script>alert(2)</script>",
  "/\"onmouseover=\"alert(3)",
  "/'><img/src=x/onerror=alert(4)>",
  "/javascript:alert(5)",
  "/<!--<script>",
  "/\u202egpj.exe",
  "/\u2066hidden\u2069\u200b\u00ad",
  "/\u0627\u0644\u0639\u0631\u0628\u064a\u0629/1/2",
  "/{{7*7}}${7*7}",
  `/${"long".repeat(1500)}`,
  `/a${"\u0300".repeat(300)}z`,
];

/** An archive whose URLs, titles, texts, headers and file name are hostile; every page is seen twice, half of them change. */
export function hostile() {
  const records = [];
  const page = (evil, version) =>
    `<!doctype html><html><head><title>${evil}</title></head><body><main><p>version ${version} ${evil} <script>alert("body")</script></p><a href="/missing${evil}">link</a><img src="/gone.png?${encodeURIComponent(evil)}"></main></body></html>`;
  EVIL.forEach((evil, number) => {
    for (const visit of [0, 1]) {
      const time = `2024-01-01T0${visit}:${String(number).padStart(2, "0")}:00Z`;
      const head = `Content-Type: text/html; charset=utf-8\r\nETag: "<script>alert('etag')</script>"\r\nServer: <img src=x onerror=alert(6)>\r\nLast-Modified: <b>never</b>`;
      records.push(record(2 * number + visit, `http://evil.example${evil}`, time, head, page(evil, number % 2 ? visit : 0)));
      records.push(record(100 + 2 * number + visit, `http://\u0430pple.example${evil}`, time, head, page(evil, 0)));
    }
  });
  writeFileSync(path(HOSTILE), Buffer.concat(records));
  acuity("audit", HOSTILE, "--html", "hostile.html", "--json=hostile.json", "-q");
  return "hostile";
}

/** A picture of one colour, so many pixels wide. */
function png(width) {
  const chunk = (type, data) => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const part = Buffer.alloc(8);
    part.writeUInt32BE(data.length);
    part.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([part.subarray(0, 4), content, part.subarray(4)]);
  };
  const head = Buffer.from([0, 0, 0, width, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.alloc(width + 1, 99))), chunk("IEND", Buffer.alloc(0))]);
}

/** A site of ten pages, each with an image of its own width, seen twice; half of it is in one archive, half in another, and it is rebuilt from both. */
export function rebuilt() {
  const site = "http://site.example";
  const pages = Array.from({ length: 10 }, (_, n) => ({ url: `${site}/p${n}.html`, text: `This is page ${n} of the lost site.`, width: 20 + n }));
  const links = pages.map(({ url }) => `<a href="${url}">next</a>`).join(" ");
  const halves = [[], []];
  let number = 500;
  for (const time of ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"]) {
    const put = (half, url, type, body) => halves[half].push(record(number++, url, time, `Content-Type: ${type}\r\nContent-Length: ${Buffer.from(body).length}`, body));
    put(0, `${site}/`, "text/html", `<p>Front. ${links}`);
    pages.forEach(({ url, text, width }, n) => {
      put(n % 2, url, "text/html", `<!doctype html><title>Page ${n}</title><p>${text}</p><img src="/i${n}.png">`);
      put((n + 1) % 2, `${site}/i${n}.png`, "image/png", png(width));
    });
  }
  ["first.warc", "second.warc"].forEach((name, half) => writeFileSync(path(name), Buffer.concat(halves[half])));
  acuity("rebuild", "-q", "--no-audit", "--repo", "a=first.warc", "--repo", "b=second.warc", "-o", "site.wacz");
  return { pages };
}

/** A line of an index, but for what differs from capture to capture. */
const LINE = {
  url: "", method: "GET", key: "", time: "", time_end: "", status: 200, mime: "text/html", kind: "response", profile: null, writer: "w/1", declared: null,
  payload: null, digest_ok: null, body: "", last_modified: null, etag: null, http_date: null, length: 500, truncated: null, file: "a.warc.gz", offset: 0,
  record_id: null, refers_to: null, body_length: 400, location: null, crawl: null, text: null,
};

/** An index of `pages` pages of one site, each seen twice within a day, one in ten changed. */
export function index(name, pages, site = (number) => "big.example") {
  const file = openSync(path(name), "w");
  const start = Date.UTC(2024, 4, 1);
  let lines = [];
  for (let look = 0; look < 2; look++) {
    for (let number = 0; number < pages; number++) {
      const time = new Date(start + look * 43_200_000 + number * Math.floor(40_000_000 / pages)).toISOString();
      const version = look && number % 10 === 0 ? "b" : "a";
      const body = createHash("sha256").update(`${number}${version}`).digest("hex");
      const host = site(number);
      const url = `https://${host}/section-${number % 97}/article-${number}/a-readable-title.html`;
      lines.push(JSON.stringify({ ...LINE, url, key: url, time, time_end: time, body: `blake3:${body}`, offset: number }));
      if (lines.length === 10_000) {
        writeSync(file, `${lines.join("\n")}\n`);
        lines = [];
      }
    }
  }
  if (lines.length) writeSync(file, `${lines.join("\n")}\n`);
  closeSync(file);
}

export function large(pages) {
  index("large.jsonl", pages);
  acuity("audit", "large.jsonl", "--html", "large.html", "--json=large.json", "-q");
  return "large";
}

export function collection() {
  index("sites.jsonl", 600, (number) => `site-${number % 40}.example`);
  acuity("audit", "sites.jsonl", "--html", "sites.html", "--json=sites.json", "-q");
  return "sites";
}
