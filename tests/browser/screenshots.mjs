// The pictures of the demo in docs/, each with the hash of the page it shows inside: pictures.test.mjs makes them anew when the page changed.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { launch, open } from "./chromium.mjs";
import * as make from "./make.mjs";

const KEYWORD = "acuity-page";
export const PICTURES = [
  { name: "report-1440.png", width: 1440, height: 2380, colorScheme: "light" },
  { name: "report-390.png", width: 390, height: 2400, colorScheme: "light" },
  { name: "report-1440-dark.png", width: 1440, height: 2380, colorScheme: "dark" },
];
export const placeOf = (picture) => join(make.ROOT, "docs", picture.name);

/** The hash of the page that the pictures show. */
export function pageHash() {
  return createHash("sha256").update(readFileSync(make.path(make.picture()))).digest("hex");
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG with a text in it, behind its head. */
function withText(png, text) {
  const head = 8 + 25;
  return Buffer.concat([png.subarray(0, head), chunk("tEXt", Buffer.from(`${KEYWORD}\0${text}`, "latin1")), png.subarray(head)]);
}

/** The hash that a picture holds; null where it holds none. */
export function hashIn(png) {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) !== "tEXt") continue;
    const [keyword, text] = png.toString("latin1", at + 8, at + 8 + png.readUInt32BE(at)).split("\0");
    if (keyword === KEYWORD) return text;
  }
  return null;
}

/** Makes a picture. */
export async function take({ width, height, colorScheme }) {
  const { context, close } = await launch({ viewport: { width, height: 1000 } });
  const { page } = await open(context, make.path(make.picture()), { media: { colorScheme } });
  await page.locator('[data-live="timeline"]').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-live="timeline"][data-ready]');
  await page.evaluate(() => document.documentElement.scrollTo({ top: 0, behavior: "instant" }));
  await page.waitForTimeout(300);
  const png = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } });
  await close();
  return png;
}

export async function makeAll() {
  const hash = pageHash();
  for (const picture of PICTURES) writeFileSync(placeOf(picture), withText(await take(picture), hash));
}
