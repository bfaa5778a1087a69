/** How values of options are read from the command line. */
import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "./output.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

const dataDirHelp = "data folder; unless given the mesh where HEDDLE_CASSANDRA_CONTACT_POINTS is set, else HEDDLE_DATA_DIR or ./data";
const workspaceHelp = "workspace by id, name or company/name; needed where there are several";
export const jsonHelp = "print the result as JSON";
/** Of commands that print a line of JSON for each thing anyway, so that --json can be given to every command. */
export const jsonLinesHelp = "a line of JSON each, as without it";
export const linkUrlHelp =
  "where people reach the server; unless given HEDDLE_PAGES_URL, HEDDLE_PUBLIC_URL or the address of the server that runs on the data folder";

export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

export function whole(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export function number(min: number, max: number): (value: string) => number {
  return (value) => {
    const read = Number(value);
    if (value.trim() !== "" && read >= min && read <= max) return read;
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  };
}

export const hours = number(0, 24 * 366);

/** `url`, where it is an http address; `name`: of the option or setting. Throws UsageError. */
export function httpAddress(url: string, name: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError(`${name} must be an http or https address, not "${url}"`);
}

/** Where the server is, and the key that it is called with. */
export function addServerOptions(command: Command, permission: string): Command {
  return command
    .option("--url <url>", "address of Heddle, HEDDLE_URL or http://127.0.0.1:8080 unless given")
    .option("--key-file <file>", `file of an API key with ${permission}, - for standard input; HEDDLE_KEY unless given`)
    .option("--key <key>", "the key itself, which anyone who lists the processes of this machine can see");
}

/** Which data a command works on, and how it prints what it finds. */
export function folderOptions(command: Command, json = jsonHelp, dataDir = dataDirHelp): Command {
  return command.option("--data-dir <folder>", dataDir).option("--json", json);
}

export function workspaceOptions(command: Command, json?: string): Command {
  return folderOptions(command.option("--workspace <workspace>", workspaceHelp), json);
}
