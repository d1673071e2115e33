// New views: what changed since last time, what was captured, reviews, replay; wide and narrow, light and dark.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

let browser;
before(async () => {
  browser = await launch();
  make.overTime();
});
after(() => browser.close());

for (const width of [1440, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`all views hold at ${width} pixels, ${colorScheme}`, async () => {
      for (const name of ["since", "sites", "once"]) {
        const { page, faults } = await open(browser.context, make.path(`${name}.html`), { media: { colorScheme } });
        await page.setViewportSize({ width, height: 900 });
        await page.waitForTimeout(400);
        // Only regions that say so are wider than the screen.
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${name} is ${over} pixels too wide`);
        assert.deepEqual(await axe(page), [], name);
        assert.deepEqual(await faults(), [], name);
        await page.close();
      }
    });
  }
}

test("what changed since last time is what the JSON says", async () => {
  const { comparison, review } = make.json("since.json");
  const { page } = await open(browser.context, make.path("since.html"));
  const rows = await page.locator("#since table.said tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows, comparison.said.map(({ topic, text }) => [topic, text]));
  const outcomes = await page.locator("#since .outcomes li b").allTextContents();
  const words = { done: "done", partly: "partly done", open: "open", unknown: "cannot tell" };
  assert.deepEqual(outcomes, comparison.actions.map(({ state }) => words[state]));
  assert.equal(review.pages, 1);
  await page.waitForSelector('[data-live="pages"][data-ready]');
  assert.ok((await page.locator(".pages-table .review").first().textContent()).includes("poor: <b>banner</b> missing"));
  const link = page.locator(".pages-table a.replay").first();
  assert.match(await link.getAttribute("href"), /^http:\/\/localhost:8080\/all\/\d{14}\/http:\/\/library\.example\//);
  await page.close();
});

test("a change is drawn as the time in which it happened", async () => {
  const { sites: [site] } = make.json("since.json");
  const { page } = await open(browser.context, make.path("since.html"));
  await page.waitForSelector('[data-live="timeline"][data-ready]');
  assert.equal(await page.locator(".cross").count(), 0);
  const changes = site.page_list.flatMap((entry) => entry.change_importance ?? []).length;
  const drawn = (await page.locator(".tl-rows path.interval").getAttribute("d")).split("M").length - 1;
  assert.equal(drawn, changes);
  await page.close();
});

test("what was captured is what the JSON says", async () => {
  const { profile } = make.json("since.json");
  const { page } = await open(browser.context, make.path("since.html"));
  const shown = await page.locator("#types tbody td").evaluateAll((cells) => cells.map((cell) => Number.parseInt(cell.textContent.replaceAll(",", ""), 10) || 0).reduce((a, b) => a + b, 0));
  assert.equal(shown, profile.captures);
  const years = await page.locator("#months tbody tr td:nth-last-child(2)").allTextContents();
  assert.equal(years.map((text) => Number(text.replaceAll(",", ""))).reduce((a, b) => a + b), profile.captures);
  await page.close();
});

test("every site of a collection can be reached, and an empty filter says so", async () => {
  const { sites } = make.json("sites.json");
  const { page } = await open(browser.context, make.path("sites.html"));
  assert.equal(await page.locator("#sites tbody th a").count(), sites.length);
  const targets = await page.locator("#sites tbody th a").evaluateAll((links) => links.every((link) => document.querySelector(link.getAttribute("href"))));
  assert.ok(targets);
  const filter = page.locator('[data-filter="sites"]');
  await filter.fill("nothing like this");
  await page.getByText("Nothing fits the filter.").waitFor();
  await page.close();
});

test("nothing proven needs a second crawl, without empty axes", async () => {
  const { page } = await open(browser.context, make.path("once.html"));
  assert.ok((await page.locator(".needs").textContent()).includes("needs a second crawl"));
  assert.equal(await page.locator(".overview figure.coverage").count(), 0);
  await page.waitForSelector('[data-live="pages"][data-ready]');
  await page.locator('[data-live="pages"] input[type="search"]').fill("nothing like this");
  await page.getByText("No page fits the filter.").waitFor();
  await page.close();
});
