// A Chromium that talks to nobody, and what every test watches for.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens a browser with a profile of its own; `close` removes both. */
export async function launch(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "acuity-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.ACUITY_CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/**
 * Opens a report and collects what must not happen: messages of the console, faults of scripts, requests other than for the
 * file itself, violations of its policy.
 */
export async function open(context, file, { media = {} } = {}) {
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => faults.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== `file://${file}` && !request.url().startsWith("data:")) faults.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    globalThis.policyFaults = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.policyFaults.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  await page.emulateMedia(media);
  await page.goto(`file://${file}`);
  return {
    page,
    /** All that went wrong so far. */
    async faults() {
      return [...faults, ...(await page.evaluate(() => globalThis.policyFaults))];
    },
  };
}

/** Serious faults that axe-core finds. */
export async function axe(page) {
  await page.evaluate(AXE);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = result.violations.filter((fault) => ["serious", "critical"].includes(fault.impact));
  return grave.map((fault) => `${fault.id}: ${fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}
