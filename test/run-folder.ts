/** One temporary folder for the whole run, which goes at its end: a test that fails or is killed leaves nothing behind on the machine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";

export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), "heddle-run-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  // Workers start with a copy of this environment
  env["TMPDIR"] = folder;
}
