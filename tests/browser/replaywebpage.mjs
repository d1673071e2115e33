// Fetches replayweb.page: its two built files, which need nothing of what the package depends on to be built. `npm ci` runs this.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "2.5.3";
const SHA512 = "nCj2PSON3BxeSJKE8AsYPyULv0XPZKJWfy4l9PyQre9SqwLZ+WKZVs/sfLqPOQ4GrH+0YkjbwOhr8cSTH08gsQ==";
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "node_modules", ".replaywebpage", VERSION);

/** The path of one of its files. */
export const file = (name) => join(FOLDER, name);

if (process.argv[1] === fileURLToPath(import.meta.url) && !existsSync(file("sw.js"))) {
  const folder = mkdtempSync(join(tmpdir(), "acuity-replaywebpage-"));
  execFileSync("npm", ["pack", "--silent", `replaywebpage@${VERSION}`], { cwd: folder });
  const archive = join(folder, `replaywebpage-${VERSION}.tgz`);
  const found = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (found !== SHA512) throw new Error(`replaywebpage ${VERSION} is not the expected one: sha512-${found}`);
  mkdirSync(FOLDER, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", FOLDER, "--strip-components=1", "package/ui.js", "package/sw.js"]);
  rmSync(folder, { recursive: true });
}
