// The audit's report in a real browser: every view is used, nothing is loaded, nothing archived runs.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

const HUNDRED_THOUSAND = Number(process.env.ACUITY_BROWSER_PAGES ?? 100_000);

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Waits until a view is made, as a reader would who scrolls to it. */
async function view(page, name, site = 0) {
  const host = page.locator(`[data-live="${name}"][data-site="${site}"]`);
  await host.scrollIntoViewIfNeeded();
  await page.waitForSelector(`[data-live="${name}"][data-site="${site}"][data-ready]`);
  return host;
}

/** The number at the beginning of a text. */
const number = (text) => Number.parseFloat(text.replace(/[^\d.]*/, ""));

test("the figures on the page are those of the JSON", async () => {
  const name = make.demo();
  const audit = make.json(`${name}.json`);
  const [site] = audit.sites;
  const { page, faults } = await open(browser.context, make.path(`${name}.html`));
  const figure = async (key) => number(await page.locator(`[data-figure="${key}"]`).textContent());
  const near = (shown, known, digits) => assert.ok(Math.abs(shown - known) <= 0.51 * 10 ** -digits, `${shown} ${known}`);
  assert.equal(await figure("pages"), site.pages.total);
  // Shares are whole percent and never rounded across a band.
  const share = (shown, known) => assert.ok(Math.abs(shown - known) < 1, `${shown} ${known}`);
  share(await figure("coherence"), 100 * site.coherence.best.share);
  share(await figure("weighted"), 100 * site.coherence.best_by_weight.share);
  share(await figure("claimed"), 100 * site.coherence.claimed.share);
  near(await figure("blur"), site.blur.actual.mean, 2);
  // A rate that is hardly known is no figure.
  const rate = await figure("rate");
  if (site.rates.median_per_day === null) assert.ok(Number.isNaN(rate), `${rate}`);
  else near(rate, site.rates.median_per_day, 1);
  share(await figure("versions"), 100 * site.completeness.versions.share);
  share(await figure("links"), 100 * site.completeness.links.share);
  share(await figure("embeds"), 100 * site.completeness.embeds.share);
  for (const state of ["sharp", "changed", "single"]) {
    assert.equal(number(await page.locator(`[data-state="${state}"]`).first().textContent()), site.pages[state]);
  }
  assert.equal(number(await page.locator("[data-missing]").textContent()), site.missing.length + site.completeness.missing_left_out);
  // The two orders stand side by side as shares of the same pages, as the JSON and the action have them.
  const next = async (name) => number(await page.locator(`[data-next="${name}"]`).textContent());
  const pages = site.reschedule.compared_pages;
  share(await next("planned order"), (100 * site.reschedule.compared_coherence) / pages);
  share(await next("last order"), (100 * site.reschedule.last_crawl) / pages);
  for (const question of ["consistent", "complete", "record"]) {
    const card = page.locator(`[data-answer=${question}]`);
    assert.ok((await card.textContent()).includes(audit.answers[question].sentence), question);
    assert.ok((await card.locator(".band").textContent()).startsWith(audit.answers[question].band), question);
  }
  const texts = await page.locator(".actions .do").allTextContents();
  assert.deepEqual(texts, audit.actions.map((action) => action.text));

  // The table has every page with its figures.
  await view(page, "pages");
  const rows = await page.locator(".pages-table tbody tr:not(.space)").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  for (const [address, state, importance, rate, blur] of rows) {
    const known = site.page_list.find((entry) => entry.url === `http://library.example${address}`);
    const shown = { sharp: "unchanged", single: "captured once", unknown: "cannot be compared" }[known.state] ?? known.state;
    assert.equal(state, known.error_page ? "error page" : shown);
    near(number(importance), known.importance, known.importance >= 0.995 ? (known.importance >= 9.95 ? 0 : 1) : 2);
    // Where nothing shows how a page changes, there is no rate and no blur.
    if (rate === "–") assert.ok(site.rates.median_per_day === null || known.rate.source === "assumed" || known.made_anew_seconds, address);
    else near(number(rate), known.rate.per_day, known.rate.per_day >= 9.95 ? 0 : 1);
    if (blur === "–") assert.equal(rate, "–", address);
    else if (blur.startsWith("under")) assert.ok(known.blur.actual.expected < 0.01, blur);
    else near(number(blur), known.blur.actual.expected, 2);
  }
  assert.ok(rows.length >= 15);
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("the cursor tells the pages proven at an instant, and the timeline zooms and sorts", async () => {
  const { sites: [site] } = make.json("demo.json");
  const { page, faults } = await open(browser.context, make.path("demo.html"));
  const host = await view(page, "timeline");
  const said = host.locator("output");
  await host.getByRole("button", { name: "Best moment" }).click();
  await page.waitForFunction((pages) => document.querySelector("output").textContent.includes(`: ${pages} of`), site.coherence.best.pages);
  // At every step of the coverage that the JSON has, the count is the same.
  const proven = (at) => site.page_list.filter((entry) => entry.proven.some((span) => Date.parse(span.from) <= at && at <= Date.parse(span.to))).length;
  for (let i = 0; i < 4; i++) {
    await host.getByRole("button", { name: "›" }).click();
    await page.waitForTimeout(60);
    const text = await said.textContent();
    const [, when, shown] = /^(.*) UTC: (\d+) of/.exec(text);
    const from = Date.parse(`${when.replace(" ", "T")}Z`);
    const counts = Array.from({ length: 1000 }, (_, ms) => proven(from + ms));
    assert.ok(counts.includes(Number(shown)), text);
  }
  // The slider works by keyboard.
  const before = await said.textContent();
  await host.locator('input[type="range"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((text) => document.querySelector("output").textContent !== text, before);
  // The list of the instant has as many pages as the count says.
  await host.locator("details.instant > summary").click();
  await host.locator(".instant-lists h3").first().waitFor();
  const listed = await host.locator(".instant-lists h3").allTextContents();
  assert.equal(listed.map(number).reduce((a, b) => a + b), site.pages.total);
  const draws = () => host.locator(".tl-rows").evaluate((node) => [...node.children].map((child) => child.getAttribute("d")).join());
  const whole = await draws();
  await host.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForTimeout(100);
  assert.notEqual(await draws(), whole);
  await host.getByRole("button", { name: "Whole time" }).click();
  await page.waitForTimeout(100);
  assert.equal(await draws(), whole);
  await host.locator("select").selectOption("state");
  await page.waitForTimeout(100);
  assert.equal(await host.locator(".tl-labels .name").first().textContent(), "/", "changed pages stand first");
  await host.getByRole("button", { name: "All in one picture" }).click();
  await page.waitForTimeout(100);
  assert.ok((await host.locator(".tl-rows path").count()) > 0);
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("pages are sorted, filtered, and open their stories", async () => {
  const { sites: [site] } = make.json("demo.json");
  const { page, faults } = await open(browser.context, make.path("demo.html"));
  const host = await view(page, "pages");
  const column = (place) => host.locator(".pages-table tbody tr:not(.space)").evaluateAll((rows, place) => rows.map((row) => row.cells[place].textContent), place);
  const blur = (await column(4)).map(number);
  assert.deepEqual(blur, [...blur].sort((a, b) => b - a));
  await host.getByRole("button", { name: "Page", exact: true }).click();
  await page.waitForTimeout(80);
  const names = await column(0);
  assert.deepEqual(names, [...names].sort());
  assert.equal(await host.locator("th.c-address").getAttribute("aria-sort"), "ascending");
  await host.locator('input[type="search"]').fill("/events/");
  await page.waitForTimeout(80);
  const events = site.page_list.filter((entry) => entry.url.includes("/events/"));
  assert.equal((await column(0)).length, events.length);
  assert.ok((await host.locator('[role="status"]').textContent()).startsWith(`${events.length} of ${site.page_list.length}`));
  await host.locator('input[type="search"]').fill("");
  await host.locator('input[data-state="sharp"]').uncheck();
  await page.waitForTimeout(80);
  assert.ok((await column(1)).every((state) => state !== "unchanged"));
  await host.locator('input[data-state="sharp"]').check();
  await host.locator('input[type="search"]').fill("story-hour");
  await page.waitForTimeout(80);
  await host.locator("button.open").first().click();
  const dialog = page.locator("dialog[open]");
  const text = await dialog.textContent();
  const story = events.find((entry) => entry.url.includes("story-hour")).story;
  assert.ok(text.includes("Captures") && text.includes("Between them") && text.includes("Versions") && text.includes("What changed"), text);
  assert.equal(await dialog.locator("table").first().locator("tbody tr").count(), story.looks.length);
  assert.ok(text.includes(story.changes[0].change.changes[0].path));
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("what is missing is copied as a crawl list, and tables are sorted", async () => {
  const { sites: [site] } = make.json("demo.json");
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page, faults } = await open(browser.context, make.path("demo.html"));
  await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
  await page.getByRole("button", { name: "Copy as a crawl list" }).click();
  await page.waitForFunction(() => document.querySelector(".missing .said").textContent !== "");
  const copied = await page.evaluate(() => document.querySelector(".missing textarea")?.value ?? navigator.clipboard.readText());
  assert.deepEqual(copied.trim().split("\n"), site.missing.map((entry) => entry.url));
  const table = page.locator(".next table.sortable");
  await table.getByRole("button", { name: "Expected consistent" }).click();
  await table.getByRole("button", { name: "Expected consistent" }).click();
  const reached = await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.cells[1].textContent)));
  assert.deepEqual(reached, [...reached].sort((a, b) => a - b));
  assert.equal(reached.length, site.reschedule.strategies.length);
  assert.equal(await page.locator(".next .pyramid rect").count(), site.reschedule.plan.length);
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("axe-core finds nothing serious in light and in dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      const { page, faults } = await open(browser.context, make.path("demo.html"), { media: { colorScheme } });
      await page.setViewportSize({ width, height: 900 });
      await view(page, "timeline");
      await view(page, "pages");
      assert.deepEqual(await axe(page), [], `${colorScheme} ${width}`);
      const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(content <= room, `${content} does not fit ${room}`);
      assert.deepEqual(await faults(), []);
      await page.close();
    }
  }
});

test("it prints, and reads without script", async () => {
  const { page, faults } = await open(browser.context, make.path("demo.html"));
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 20_000);
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator(".timeline .static svg.strip").first().isVisible());
  assert.ok(!(await page.locator("[data-live]").first().isVisible()));
  assert.deepEqual(await faults(), []);
  await page.close();

  const plain = await launch({ javaScriptEnabled: false });
  const bare = await plain.context.newPage();
  await bare.goto(`file://${make.path("demo.html")}`);
  for (const seen of [".answer", ".coverage svg", ".timeline .static svg.strip", ".pages .static tbody tr", ".missing tbody tr", ".next .pyramid", "#evidence table"]) {
    assert.ok(await bare.locator(seen).first().isVisible(), seen);
  }
  await bare.locator('.pages a[href^="#s0-t"]').first().click();
  assert.ok(await bare.locator("details.story[open]").first().isVisible(), "a link to a story opens it");
  await plain.close();
});

test("nothing that is archived runs, breaks out or misleads", async () => {
  const name = make.hostile();
  for (const colorScheme of ["light", "dark"]) {
    const { page, faults } = await open(browser.context, make.path(`${name}.html`), { media: { colorScheme } });
    const sites = await page.locator("article.site").count();
    for (let site = 0; site < sites; site++) {
      await page.locator(".picker select").selectOption(String(site));
      await view(page, "timeline", site);
      const host = await view(page, "pages", site);
      const openers = host.locator("button.open");
      for (let i = 0; i < (await openers.count()); i++) {
        await openers.nth(i).click();
        await page.keyboard.press("Escape");
      }
      await host.locator('input[type="search"]').fill("<script>");
    }
    assert.deepEqual(await axe(page), []);
    // No element came from an archive, and no character that misleads is left as it is.
    const found = await page.evaluate(() => ({
      images: document.querySelectorAll("img, iframe, object, embed, link[href]:not([rel=icon]), base, form").length,
      scripts: [...document.scripts].filter((script) => script.type !== "application/json").length,
      handlers: [...document.querySelectorAll("*")].filter((node) => [...node.attributes].some((attribute) => attribute.name.startsWith("on") || attribute.name === "style" || /^\s*javascript:/i.test(attribute.value))).filter((node) => !["TR", "DIV", "svg"].includes(node.nodeName)).length,
      treacherous: /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u00ad\u2028\u2029]/.test(document.body.innerText),
      marks: document.querySelectorAll(".esc").length,
      puny: [...document.querySelectorAll(".puny")].filter((node) => node.textContent.includes("xn--")).length,
    }));
    assert.deepEqual({ ...found, marks: found.marks > 0, puny: found.puny > 0 }, { images: 0, scripts: 1, handlers: 0, treacherous: false, marks: true, puny: true });
    await page.pdf();
    assert.deepEqual(await faults(), []);
    await page.close();
  }
});

test("many sites are a ranked table with their curves, and each can be opened", async () => {
  const name = make.collection();
  const audit = make.json(`${name}.json`);
  const { page, faults } = await open(browser.context, make.path(`${name}.html`));
  assert.equal(await page.locator("#sites tbody tr").count(), audit.sites.length);
  assert.equal(await page.locator(".multiples svg").count(), audit.sites.filter((site) => site.coherence.provable).length);
  await page.locator('[data-filter="sites"]').fill("site-7.");
  await page.waitForTimeout(80);
  assert.equal(await page.locator("#sites tbody tr:visible").count(), 1);
  await page.locator('[data-filter="sites"]').fill("");
  await page.locator("#sites").getByRole("button", { name: "Together" }).click();
  await page.locator(".picker select").selectOption("3");
  assert.equal(await page.locator("article.site:visible").count(), 1);
  await view(page, "pages", 3);
  assert.deepEqual(await axe(page), []);
  // Every name leads to a site with its pages, and the chooser lists all of them.
  assert.equal(await page.locator(".picker option").count(), audit.sites.length);
  for (const address of await page.locator("#sites tbody th a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))) {
    await page.evaluate((address) => (location.hash = address), address);
    await page.locator(`${address}:visible .pages`).waitFor();
  }
  for (const width of [1440, 1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const ends = await page.evaluate(() => [document.querySelector(".picker select"), document.querySelector("#answers")].map((part) => part.getBoundingClientRect().right));
    assert.ok(ends[0] <= ends[1] + 1, `at ${width} the chooser ends at ${ends[0]}, the text at ${ends[1]}`);
  }
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("states and figures of pages are not cut on a narrow screen", async () => {
  const name = make.demo();
  const { page, faults } = await open(browser.context, make.path(`${name}.html`));
  await page.setViewportSize({ width: 390, height: 844 });
  const host = await view(page, "pages");
  await host.locator(".state").first().waitFor();
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll(".virtual .state, .virtual td.number")]
      .filter((part) => part.offsetParent)
      .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > part.closest("td").getBoundingClientRect().right + 1)
      .map((part) => part.textContent),
  );
  assert.deepEqual(cut, []);
  assert.ok((await host.locator(".state").allTextContents()).includes("error page"));
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("a hundred thousand pages open at once and stay below 25 MB", async (context) => {
  const name = make.large(HUNDRED_THOUSAND);
  const { sites: [site] } = make.json(`${name}.json`);
  const bytes = make.size(`${name}.html`);
  assert.ok(bytes < 25_000_000, `${bytes} bytes`);
  const begin = performance.now();
  const { page, faults } = await open(browser.context, make.path(`${name}.html`));
  await page.locator(".answer").first().waitFor();
  const loaded = performance.now() - begin;
  const host = await view(page, "timeline");
  await view(page, "pages");
  const ready = performance.now() - begin;
  await host.getByRole("button", { name: "Best moment" }).click();
  await page.waitForFunction((pages) => document.querySelector("output").textContent.includes(`: ${pages} of`), site.coherence.best.pages);
  // Scrolling far, sorting and the picture of all pages: how long each takes.
  const took = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const times = {};
    const time = async (name, act) => {
      const begin = performance.now();
      act();
      await frame();
      times[name] = Math.round(performance.now() - begin);
    };
    const body = document.querySelector(".tl-body");
    await time("scroll", () => (body.scrollTop = body.scrollHeight / 2));
    const slider = document.querySelector(".cursor-slider");
    await time("cursor", () => {
      slider.value = Number(slider.max) / 3;
      slider.dispatchEvent(new Event("input"));
    });
    await time("sort", () => document.querySelector('[data-sort="rate"]').click());
    await time("picture", () => document.querySelector('[aria-pressed="false"]').click());
    return times;
  });
  context.diagnostic(`${HUNDRED_THOUSAND} pages: ${(bytes / 1e6).toFixed(1)} MB, shown in ${loaded.toFixed(0)} ms, timeline and table in ${ready.toFixed(0)} ms; then in ms: ${JSON.stringify(took)}`);
  assert.deepEqual(await faults(), []);
  await page.close();
});

test("the file of the demo refers to nothing outside", () => {
  assert.ok(statSync(make.path("demo.html")).size > 0);
  const text = readFileSync(make.path("demo.html"), "utf8");
  assert.ok(!/<(?:img|iframe|link(?! rel="icon" href="data:)|script src|object|embed)\b/.test(text));
  assert.ok(!/\b(?:src|href)="(?!#|data:)/.test(text));
  assert.ok(!/url\(|@import/.test(text));
});
