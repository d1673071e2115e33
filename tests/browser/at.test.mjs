// The page about a date in a real browser.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("the answer, its exceptions and its witnesses are those of the JSON, also of a hostile archive", async () => {
  const words = { coherent: "yes", "not-coherent": "no", "not-provable": "not settled" };
  for (const name of make.at()) {
    const answer = make.json(`${name}.json`);
    for (const colorScheme of ["light", "dark"]) {
      const { page, faults } = await open(browser.context, make.path(`${name}.html`), { media: { colorScheme } });
      // Where the verdict is not that of the whole, or an address answered without the page, more words say so.
      const word = await page.locator("[data-verdict]").textContent();
      assert.ok(word.startsWith(words[answer.verdict]) || answer.counts.absent > 0 || answer.parts.length > 1, word);
      assert.equal(await page.locator("[data-answer]").textContent(), answer.answer);
      for (const state of ["proven", "claimed", "changed-nearby", "undecided", "unseen", "missing"]) {
        const cell = page.locator(`[data-count="${state}"]`);
        assert.equal((await cell.count()) ? Number(await cell.textContent()) : 0, answer.counts[state], state);
      }
      assert.equal(await page.locator(".proof").count(), answer.pages.length);
      assert.equal(await page.locator(".witnesses tbody tr").count(), answer.pages.flatMap((entry) => entry.witnesses).length);
      const text = await page.locator("main").textContent();
      for (const input of answer.inputs) assert.ok(text.includes(input.sha256) && text.includes(input.blake3));
      for (const sentence of [...answer.method, ...answer.assumptions]) assert.ok(text.includes(sentence), sentence);
      // Exceptions stand before what is proven.
      const places = await page.evaluate(() => ["exceptions", "proven"].map((id) => document.getElementById(id)?.offsetTop ?? Infinity));
      assert.ok(places[0] <= places[1]);
      assert.equal(await page.locator("img, iframe, form").count(), 0);
      assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(await page.evaluate(() => document.body.innerText)));
      assert.deepEqual(await axe(page), []);
      assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
      assert.deepEqual(await faults(), []);
      await page.close();
    }
  }
  // When and where a report was made is not part of the answer that its JSON holds.
  const answer = (file) => readFileSync(make.path(file), "utf8").split('<section id="custody">')[0];
  assert.equal(answer("at.html"), answer("at-again.html"), "read back from the JSON it is the same");
});

test("every printed page has the hash of the answer and its number, and none ends with a heading, on A4 and Letter", async (context) => {
  if (spawnSync("pdftotext", ["-v"]).error) return context.skip("pdftotext is not installed");
  const [name] = make.at();
  const answer = readFileSync(make.path(`${name}.json`));
  const hash = createHash("sha256").update(answer).digest("hex").match(/.{8}/g).join(" ");
  for (const format of ["A4", "Letter"]) {
    const { page } = await open(browser.context, make.path(`${name}.html`));
    const text = spawnSync("pdftotext", ["-layout", "-", "-"], { input: await page.pdf({ format, preferCSSPageSize: false }) });
    const pages = text.stdout.toString().split("\f").slice(0, -1);
    assert.ok(pages.length > 1);
    const headings = (await page.locator("h2, h3, h4, .proof > h3 + p").allTextContents()).map((words) => words.replace(/\s+/g, ""));
    pages.forEach((words, place) => {
      assert.ok(words.includes(`Page ${place + 1} of ${pages.length}`), `${format}: page ${place + 1}`);
      assert.ok(words.includes(`SHA-256 ${hash}`), `${format}: page ${place + 1}`);
      // Above the foot of the page, which begins with the case or the hash.
      const lines = words.split("\n").map((line) => line.replace(/\s+/g, ""));
      const foot = lines.findLastIndex((line) => line.startsWith("SHA-256") && line.includes(hash.replaceAll(" ", "")));
      const last = lines.slice(0, foot).filter((line) => line && !line.includes(`Page${place + 1}of`)).at(-1);
      assert.ok(!headings.includes(last), `${format}: page ${place + 1} ends with the heading ${last}`);
    });
    await page.close();
  }
});
