// Makes the pictures of the demo in docs/: `ACUITY_BIN=… node screenshots.mjs`.

import { join } from "node:path";
import { launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

make.demo();
for (const [width, height] of [[1440, 2380], [390, 2400]]) {
  const { context, close } = await launch({ viewport: { width, height: 1000 } });
  const { page } = await open(context, make.path("demo.html"), { media: { colorScheme: "light" } });
  await page.locator('[data-live="timeline"]').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-live="timeline"][data-ready]');
  await page.evaluate(() => document.documentElement.scrollTo({ top: 0, behavior: "instant" }));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(make.ROOT, "docs", `report-${width}.png`), fullPage: true, clip: { x: 0, y: 0, width, height } });
  await close();
}
