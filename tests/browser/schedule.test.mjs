// The schedule's report in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("a schedule is drawn, listed and compared as its JSON says", async () => {
  for (const name of make.schedule()) {
    const schedule = make.json(`${name}.json`);
    const [site] = schedule.sites;
    for (const colorScheme of ["light", "dark"]) {
      const { page, faults } = await open(browser.context, make.path(`${name}.html`), { media: { colorScheme } });
      assert.equal(await page.locator(".pyramid rect").count(), site.pages);
      assert.equal(await page.locator(".lane tbody tr").count(), site.slots.length);
      assert.equal(await page.locator("#strategies tbody tr").count(), schedule.strategies.length);
      const reached = await page.locator('[data-lane="expected coherence"]').textContent();
      assert.equal(reached, site.expected_coherence === null ? "–" : site.expected_coherence.toFixed(3));
      await page.locator(".lane table").getByRole("button", { name: "Page" }).click();
      const urls = await page.locator(".lane tbody th").allTextContents();
      assert.deepEqual(urls, [...urls].sort());
      assert.deepEqual(await axe(page), []);
      assert.ok((await page.pdf()).length > 10_000);
      assert.deepEqual(await faults(), []);
      await page.close();
    }
  }
});
