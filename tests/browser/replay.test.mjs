// Packages in replayweb.page: pages of a rebuilt site, and of a bundle of evidence, with their texts and images.

import assert from "node:assert/strict";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { launch } from "./chromium.mjs";
import * as make from "./make.mjs";
import { file } from "./replaywebpage.mjs";

let browser;
let server;
let origin;

before(async () => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser.close();
  server.close();
});

/** Serves the viewer, a page that embeds it, and packages, also in ranges. */
function answer(request, response) {
  const url = new URL(request.url, origin);
  const send = (type, body) => response.writeHead(200, { "Content-Type": type }).end(body);
  if (url.pathname === "/ui.js" || url.pathname === "/replay/sw.js") return send("text/javascript", readFileSync(file(url.pathname.split("/").pop())));
  if (url.pathname === "/view") {
    const shown = (name) => url.searchParams.get(name).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    return send("text/html", `<!doctype html><script src="/ui.js"></script><style>replay-web-page { display: block; height: 800px }</style><replay-web-page source="/${shown("package")}" url="${shown("url")}" ts="${shown("ts")}" replayBase="/replay/" embed="replayonly" noSandbox></replay-web-page>`);
  }
  if (!url.pathname.endsWith(".wacz")) return response.writeHead(404).end();
  const path = make.path(url.pathname.slice(1));
  const size = statSync(path).size;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = first ? Number(first) : last ? Math.max(0, size - Number(last)) : 0;
  const end = first && last ? Math.min(size - 1, Number(last)) : size - 1;
  const head = { "Content-Type": "application/wacz", "Accept-Ranges": "bytes", "Content-Length": end - start + 1 };
  if (request.headers.range) head["Content-Range"] = `bytes ${start}-${end}/${size}`;
  response.writeHead(request.headers.range ? 206 : 200, head);
  if (request.method === "HEAD") return response.end();
  createReadStream(path, { start, end }).pipe(response);
}

/** Opens a URL of a package and waits for its text; gives the text, and the width of every image. */
async function replayed(name, url, ts, text) {
  const page = await browser.context.newPage();
  const elsewhere = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob|about):/.test(request.url())) elsewhere.push(request.url());
  });
  await page.goto(`${origin}/view?${new URLSearchParams({ package: name, url, ts })}`);
  const shows = (words) => document.body?.innerText.includes(words) && [...document.images].every((image) => image.complete);
  const deadline = Date.now() + 60_000;
  for (;;) {
    for (const frame of page.frames()) {
      if (!frame.url().includes("mp_/")) continue;
      if (!(await frame.evaluate(shows, text).catch(() => false))) continue;
      const found = await frame.evaluate(() => ({ text: document.body.innerText, images: [...document.images].map((image) => image.naturalWidth) }));
      assert.deepEqual(elsewhere, [], "nothing is asked of anyone else");
      await page.close();
      return found;
    }
    if (Date.now() > deadline) {
      const seen = await Promise.all(page.frames().map(async (frame) => `${frame.url()}: ${await frame.evaluate(() => document.body?.innerText).catch(String)}`));
      throw new Error(`${url} of ${name} does not show "${text}":\n${seen.join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("ten pages of a rebuilt site appear with their images", async () => {
  const { pages } = make.rebuilt();
  assert.equal(pages.length, 10);
  for (const { url, text, width } of pages) {
    const found = await replayed("site.wacz", url, "", text);
    assert.deepEqual(found.images, [width], url);
  }
});

test("the page that an answer is about appears from its bundle", async () => {
  const { pages } = make.rebuilt();
  const [{ url, text, width }] = pages;
  make.acuity("at", "2024-01-01T12:00:00Z", "first.warc", "second.warc", "--url", url, "--phrase", text, "--bundle", "evidence.wacz", "-q");
  const found = await replayed("evidence.wacz", url, "20240101000000", text);
  assert.deepEqual(found.images, [width]);
});
