/** heddle scim log: what identity providers asked for, what came of it, and what it changed. */
import { systemClock } from "../../platform/clock.ts";
import { readStore } from "../../platform/mesh-config.ts";
import { readMeshScimLog } from "../../services/scim/mesh-wire.ts";
import { type LogEntry, type LogQuestion, readScimLog } from "../../services/scim/wire.ts";
import { type FolderOptions, withAccessTarget } from "../target/access-target.ts";
import { exitCodes, isoTime, plain, printResult } from "../shell/output.ts";
import { chooseCompany } from "./scim-tokens.ts";
import { readSettings } from "../target/settings.ts";

export interface ScimLogOptions extends FolderOptions {
  readonly company?: string;
  /** Id or userName of one user. */
  readonly user?: string;
  readonly limit: number;
}

/** The oldest of those shown first, so that what happened last stands at the end. */
export async function log(options: ScimLogOptions): Promise<number> {
  const entries = await withAccessTarget(options, async (access, database) => {
    const companyId = chooseCompany(access.rows(), options.company).id;
    const about = options.user === undefined ? {} : { about: options.user };
    const question = { companyId, limit: options.limit, ...about };
    return (database ? await readScimLog(database, question, systemClock) : await readFromMesh(question)).toReversed();
  });
  const nothing = options.user === undefined ? "Nothing has been asked for yet" : `Nothing was asked about ${options.user}`;
  const text = entries.length === 0 ? nothing : entries.map(lineOf).join("\n");
  printResult(options, entries.map((entry) => ({ ...entry, at: isoTime(entry.at) })), text);
  return exitCodes.ok;
}

async function readFromMesh(question: LogQuestion): Promise<readonly LogEntry[]> {
  return await readMeshScimLog(readSettings(process.env, (reader) => readStore(reader, "scim")), question, systemClock);
}

function lineOf(entry: LogEntry): string {
  const outcome = entry.outcome === "" ? `${entry.status ?? ""}${entry.reason ? ` ${entry.reason}` : ""}` : entry.outcome;
  const user = entry.userName === undefined ? "" : ` ${entry.userName} (${entry.userId})`;
  const head = `${isoTime(entry.at)} ${entry.origin} ${entry.method} ${plain(entry.target)}: ${outcome}${plain(user)}`;
  const changes = (entry.changes ?? []).map(({ attribute, from, to }) => `${attribute}: ${shown(from)} -> ${shown(to)}`);
  const ignored = entry.ignored?.length ? [`not kept: ${entry.ignored.join(", ")}`] : [];
  const detail = entry.detail === undefined ? [] : [entry.detail];
  return [head, ...[...detail, ...changes, ...ignored].map((line) => `  ${plain(line)}`)].join("\n");
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
