/** heddle log: how far the log is applied, what it cannot apply, and what to do about it. */
import { Buffer } from "node:buffer";
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import { shownFrom } from "../../platform/lane/shown-record.ts";
import { openSqliteLog } from "../../platform/log/sqlite.ts";
import { readPeer } from "../../platform/mesh-config.ts";
import { pagesBehind } from "../../platform/pages-behind.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { LogService, type SetAside } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { logService, openLogOperation } from "../../services/profile/wire.ts";
import type { FolderOptions, WorkspaceOptions } from "../target/access-target.ts";
import { withCalled } from "../target/called-part.ts";
import type { LedgerTarget } from "../target/consent-target.ts";
import { consentLanes, redriveConsent, showConsent, skipConsent } from "./consent-unread.ts";
import { dataFolder, isMesh, partitions, withAccess } from "../target/data-folder.ts";
import { counted, exitCodes, plain, print, printJson, printResult, table, UsageError } from "../shell/output.ts";
import { readSettings } from "../target/settings.ts";

export async function status(options: FolderOptions & { readonly all?: boolean }): Promise<number> {
  const { all = false } = options;
  const { lags: intake, held, setAside: deadLetters, moreLetters } = await withLog(options, (log) => statusOf(log, all));
  const { lags: consent, unread, more: moreUnread } = await consentLanes(options);
  // Beside a data folder no process looks regularly
  const isTimed = isMesh(options, "HEDDLE_PROFILE_URL");
  const lags = [...intake, ...consent].map(({ seconds, ...lag }) => ({ ...lag, ...(isTimed && { seconds }) }));
  const moreBlocked = held.length >= limits.heldRedriveMax;
  const more = moreLetters || moreUnread || moreBlocked;
  if (options.json) {
    printJson({ lags, held, setAside: deadLetters, unread, more });
    return exitCodes.ok;
  }
  print(table(["LANE", "BEHIND", "SECONDS"], lags.map(({ lane, records, seconds }) => [lane, String(records), seconds?.toFixed(1) ?? ""])));
  if (held.length > 0) {
    const rows = held.map(({ workspaceId, userId, mark, reason }) => [workspaceId, userId, mark.join("."), plain(reason)]);
    print(`\n${table(["WORKSPACE", "BLOCKED USER", "AT", "BECAUSE"], rows)}`);
  }
  if (deadLetters.length > 0) {
    print(
      `\n${
        table(
          ["DEAD LETTER IN", "AT", "BECAUSE"],
          deadLetters.map((record) => [String(record.partition), String(record.sequence), plain(record.reason)]),
        )
      }`,
    );
  }
  if (unread.length > 0) {
    const rows = unread.map(({ lane, workspaceId, key, sequence, part, reason }) => {
      return [lane, workspaceId, plain(key.replaceAll("\n", " ")), `${sequence}.${part}`, plain(reason)];
    });
    print(`\n${table(["CONSENT WAITS", "WORKSPACE", "OF", "AT", "BECAUSE"], rows)}`);
  }
  if (held.length + deadLetters.length + unread.length === 0) print("\nNothing waits for a human");
  if (moreLetters || moreUnread) {
    const others = all ? "of a service of consent that is of an earlier build" : "of each service of consent; --all shows every one";
    print(`\nMore dead letters may wait: shown are the first ${mostListed}, and ${limits.setAsidePageMax} ${others}`);
  }
  if (moreBlocked) print(`\nMore users may be blocked: shown are the first ${mostListed}, and heddle log redrive tries all of them`);
  return exitCodes.ok;
}

const mostListed = limits.heldRedriveMax.toLocaleString("en");

/** `all`: with every dead letter, and not with the first ones alone. */
async function statusOf(log: Client<typeof LogService>, all: boolean) {
  const { lags, held, setAside: first } = await log.getStatus({});
  const moreLetters = first.length >= limits.heldRedriveMax;
  const pages = pagesBehind<SetAside>(async (last) => {
    return last === undefined ? first : (await log.listSetAside({ partition: last.partition, sequence: last.sequence })).setAside;
  });
  const letters = all && moreLetters ? (await Array.fromAsync(pages)).flat() : first;
  return {
    lags: lags.map(({ lane, records, seconds }) => ({ lane, records: Number(records), seconds })),
    held: held.map(({ workspaceId, userId, reason, sequence, part }) => ({ workspaceId, userId, reason, mark: [Number(sequence), part] })),
    setAside: letters.map(({ partition, sequence, reason }) => ({ partition, sequence: Number(sequence), reason })),
    moreLetters: moreLetters && !all,
  };
}

export async function redrive(options: FolderOptions): Promise<number> {
  const { users, records } = await withLog(options, (log) => log.redrive({}));
  const consent = await redriveConsent(options);
  const lines = [users === 0 ? "No user is blocked" : `${counted(users, "blocked user is", "blocked users are")} tried once more`];
  if (records > 0) lines.push(`${counted(records, "dead letter is", "dead letters are")} tried once more, behind all others`);
  if (consent > 0) lines.push(`${counted(consent, "dead letter of consent is", "dead letters of consent are")} tried once more`);
  const more = records >= limits.heldRedriveMax;
  if (more) lines.push("More dead letters of the intake may wait: so many are tried at once. Run it again for the next ones");
  printResult(options, { users, records, consent, more }, lines.join("\n"));
  return exitCodes.ok;
}

export async function show(options: RecordOptions): Promise<number> {
  const id = recordIdOf(options);
  const { json, size, first } = "lane" in id
    ? (await showConsent(options, id.lane, id)) ?? lackOfAddresses()
    : await withLog(options, async (log) => shownFrom((await log.showRecord(id)).record));
  const record: unknown = json === "" ? undefined : JSON.parse(json);
  const firstBytes = Buffer.from(first).toString("hex");
  const text = record === undefined
    ? `${size} bytes that this build cannot read, or that are too many to be shown; they begin with\n${firstBytes}`
    : JSON.stringify(record, null, 2);
  printResult(options, { ...(record !== undefined && { record }), bytes: size, firstBytes }, text);
  return exitCodes.ok;
}

export async function skip(options: RecordOptions): Promise<number> {
  const id = recordIdOf(options);
  if ("lane" in id) {
    const { workspaceId, lane } = id;
    if (!await skipConsent(options, lane, id)) lackOfAddresses();
    return saySkipped(options, { workspaceId, lane }, `of the lanes of ${lane} is passed over`);
  }
  await withLog(options, (log) => log.skip(id));
  if ("partition" in id) return saySkipped(options, { partition: id.partition }, `of partition ${id.partition} is given up`);
  const { workspaceId, userId } = id;
  return saySkipped(options, { workspaceId, userId }, `of user ${userId} is passed over`);
}

function saySkipped(options: RecordOptions, from: object, what: string): number {
  printResult(options, { skipped: { ...from, at: options.at } }, `The record at ${options.at} ${what}`);
  return exitCodes.ok;
}

function lackOfAddresses(): never {
  throw new UsageError("Expected HEDDLE_SUBSCRIPTION_URL and HEDDLE_MESSAGING_STATUS_URL, which say where the services are");
}

async function withLog<T>({ dataDir }: FolderOptions, work: (log: Client<typeof LogService>) => Promise<T>): Promise<T> {
  if (isMesh({ dataDir }, "HEDDLE_PROFILE_URL")) {
    const peer = readSettings(process.env, (reader) => readPeer(reader, "profile"));
    return await withCalled(LogService, { ...peer, caller: "operator" }, work);
  }
  return await withAccess(dataFolder(dataDir), async (_, database) => {
    const log = await openSqliteLog({ database, partitions, clock: systemClock });
    try {
      const operation = await openLogOperation(database, { partitions, tail: (partition) => log.tail(partition) });
      return await work(directClient(LogService, logService(operation)));
    } finally {
      await log.close();
    }
  });
}

interface RecordOptions extends WorkspaceOptions {
  readonly user?: string;
  readonly lane?: string;
  readonly partition?: string;
  readonly at: string;
}

/** Of a lane of consent, of a blocked user, or of the intake. */
type WaitingRecordId =
  | { readonly lane: LedgerTarget["ledger"]; readonly workspaceId: string; readonly sequence: bigint; readonly part: number }
  | { readonly workspaceId: string; readonly userId: string; readonly sequence: bigint; readonly part: number }
  | { readonly partition: number; readonly sequence: bigint };

/** Throws UsageError. */
function recordIdOf({ workspace: workspaceId, user: userId, lane, partition, at }: RecordOptions): WaitingRecordId {
  if (partition !== undefined) {
    const isId = /^\d{1,5}$/.test(partition) && /^\d{1,15}$/.test(at);
    if (!isId) throw new UsageError(`Expected numbers as in --partition 3 --at 17, got "${partition}" and "${at}"`);
    return { partition: Number(partition), sequence: BigInt(at) };
  }
  const [, sequence = "", part = ""] = /^(\d{1,15})[.](\d{1,9})$/.exec(at) ?? [];
  if (sequence === "") throw new UsageError(`Expected a place such as 17.0, got "${at}"`);
  if (workspaceId === undefined) throw new UsageError("Expected --workspace, or --partition for a dead letter");
  if (lane !== undefined) return { lane: laneOf(lane), workspaceId, sequence: BigInt(sequence), part: Number(part) };
  // An empty one would name a dead letter of the intake
  if (!userId) throw new UsageError("Expected --user, or --lane for a record of consent");
  return { workspaceId, userId, sequence: BigInt(sequence), part: Number(part) };
}

function laneOf(name: string): LedgerTarget["ledger"] {
  if (name === "subscription" || name === "messaging-status") return name;
  throw new UsageError(`Expected subscription or messaging-status, got "${name}"`);
}
