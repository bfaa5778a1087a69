/** The Tiltfile run by a Starlark interpreter with stand-ins for Tilt's functions: what it would have Tilt do. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Loose, manifestsOf, renderText, repository } from "./manifests.ts";
import { provisionTool } from "./provision.ts";

export interface TiltCall {
  readonly function: string;
  readonly arguments: Readonly<Record<string, Loose>>;
}

/** `subcommand`: up or ci. `given`: the arguments after `--`. */
export async function runTiltfile(subcommand: string, given: Readonly<Record<string, string>> = {}): Promise<readonly TiltCall[]> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-tilt-"));
  const script = join(folder, "Tiltfile.star");
  try {
    writeFileSync(script, await sourceOf(subcommand, given));
    const { stderr } = await promisify(execFile)(await provisionTool("starlark"), ["-globalreassign", script], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return JSON.parse(stderr) as TiltCall[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The interpreter knows no values with fields, so that `config.parse` is called `config_parse` here. */
async function sourceOf(subcommand: string, given: Readonly<Record<string, string>>): Promise<string> {
  const rendered = manifestsOf(await renderText("local")).all;
  return [
    `rendered = ${JSON.stringify(JSON.stringify(rendered))}`,
    `given = ${JSON.stringify(JSON.stringify(given))}`,
    `config_tilt_subcommand = ${JSON.stringify(subcommand)}`,
    readFileSync(join(import.meta.dirname, "tilt/stubs.star"), "utf8"),
    readFileSync(join(repository, "Tiltfile"), "utf8").replaceAll(/\bconfig\.(?=\w+)/g, "config_"),
    "print(json.encode(calls))",
  ].join("\n");
}
