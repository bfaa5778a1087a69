/** Calls of commands over HTTP: where the server is, with which key, and what went wrong in words for the person at the keyboard. */
import { readFileSync } from "node:fs";
import { RefusedError, UnreachableError } from "../../client/client.ts";
import { errorText } from "../../platform/error-text.ts";
import { httpAddress } from "../shell/option-values.ts";
import { CommandError, UsageError } from "../shell/output.ts";
import { readStandardInput } from "../shell/standard-input.ts";

export interface ServerOptions {
  readonly url?: string;
  readonly key?: string;
  readonly keyFile?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `what` begins the sentence: "The export". */
export async function calling<Answer>(what: string, url: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnreachableError) {
      throw new CommandError(`${new URL(url).origin} does not answer: is Heddle running there? (--url)`, { cause: error });
    }
    if (error instanceof RefusedError) throw new CommandError(`${what} was refused (${error.status}: ${error.message})`, { cause: error });
    throw error;
  }
}

/** Address of the server, from the option, the environment or the default. */
export function serverUrl(options: Pick<ServerOptions, "url" | "env">): string {
  if (options.url !== undefined) return httpAddress(options.url, "--url");
  return httpAddress(options.env["HEDDLE_URL"] || "http://127.0.0.1:8080", "HEDDLE_URL");
}

/** A file keeps the key out of the list of processes, and out of the shell's history. */
export function serverKey(options: Omit<ServerOptions, "url">): string {
  if (options.key !== undefined && options.keyFile !== undefined) throw new UsageError("Give --key-file or --key, not both");
  if (options.keyFile !== undefined) return keyOf(options.keyFile);
  const key = options.key ?? (options.env["HEDDLE_KEY"] || options.env["HEDDLE_API_KEY"]);
  if (!key) {
    throw new UsageError("Give an API key with --key-file, in HEDDLE_KEY, or with --key, which other users of this machine can see");
  }
  return key;
}

function keyOf(file: string): string {
  const name = file === "-" ? "standard input" : `"${file}"`;
  const text = file === "-" ? readStandardInput().toString() : readKeyFile(file);
  const key = text.trim();
  if (key === "" || /\s/.test(key)) throw new CommandError(`There must be an API key and nothing else in ${name}`);
  return key;
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`Cannot read the key in "${file}": ${errorText(cause)}`, { cause });
  }
}
