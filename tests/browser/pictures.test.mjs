// The pictures in docs/ show the demo as it is now.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { PICTURES, hashIn, makeAll, pageHash, placeOf, take } from "./screenshots.mjs";

test("the pictures in docs are of this page", async (context) => {
  const hash = pageHash();
  const isStale = (picture) => !existsSync(placeOf(picture)) || hashIn(readFileSync(placeOf(picture))) !== hash;
  if (PICTURES.some(isStale)) {
    context.diagnostic("the demo's page is another one now: its pictures in docs/ were made anew, commit them");
    await makeAll();
  }
  for (const picture of PICTURES) {
    const png = readFileSync(placeOf(picture));
    assert.equal(hashIn(png), hash, `docs/${picture.name}`);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [picture.width, picture.height]);
  }
  // The page can be pictured here, too.
  assert.equal((await take(PICTURES[0])).readUInt32BE(16), PICTURES[0].width);
});
