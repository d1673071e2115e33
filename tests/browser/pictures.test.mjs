// The pictures in docs/ show the demo as it is now.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PICTURES, hashIn, makeAll, pageHash, placeOf, take } from "./screenshots.mjs";

test("the pictures in docs are of this page", async () => {
  if (process.env.ACUITY_BLESS) await makeAll();
  const hash = pageHash();
  for (const picture of PICTURES) {
    const png = readFileSync(placeOf(picture));
    assert.equal(hashIn(png), hash, `docs/${picture.name} is stale: ACUITY_BLESS=1 node --test pictures.test.mjs makes it anew`);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [picture.width, picture.height]);
  }
  // The page can be pictured here, too.
  assert.equal((await take(PICTURES[0])).readUInt32BE(16), PICTURES[0].width);
});
