/** What links begin with that commands print: where people reach the server. */
import { resolve } from "node:path";
import { withoutEnd } from "../../platform/text-ends.ts";
import { dataFolder, isMesh, isServed } from "./data-folder.ts";
import { UsageError } from "../shell/output.ts";
import { httpAddress } from "../shell/option-values.ts";
import { runningFile } from "./running-record.ts";

interface LinkOptions {
  readonly url?: string;
  readonly dataDir?: string;
}

/**
 * `--url`, else HEDDLE_PAGES_URL, else HEDDLE_PUBLIC_URL, else the address of the server that runs on the data folder; without a
 * slash at its end. Throws UsageError for what is no http address, and where there is none.
 */
export function linkBase({ url, dataDir }: LinkOptions, env: NodeJS.ProcessEnv = process.env): string {
  if (url !== undefined) return withoutEnd(httpAddress(url, "--url"), "/");
  for (const name of ["HEDDLE_PAGES_URL", "HEDDLE_PUBLIC_URL"]) {
    if (env[name]) return withoutEnd(httpAddress(env[name], name), "/");
  }
  const listened = listenedAddress(dataDir, env);
  if (listened !== undefined) return listened;
  throw new UsageError("Where people reach the server is not known: give --url, or set HEDDLE_PAGES_URL or HEDDLE_PUBLIC_URL");
}

function listenedAddress(dataDir: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (isMesh({ dataDir, env })) return undefined;
  const folder = resolve(dataFolder(dataDir, env));
  const record = runningFile(folder).read();
  return record !== undefined && isServed(folder) ? record.url : undefined;
}
