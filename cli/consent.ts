/** heddle consent: the consent ledger and unsubscribe links, in the data folder, whether or not a server runs on it. */
import type { Workspace } from "../gateway/access/access.ts";
import { normaliseEmail, normalisePhone } from "../platform/address.ts";
import type { LedgerEntry } from "../platform/ledger/ledger.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { readMessagingStatus } from "../services/messaging-status/wire.ts";
import { findUserIds } from "../services/profile/wire.ts";
import { readMembershipLedger } from "../services/subscription/wire.ts";
import { chooseWorkspace, dataFolder, withAccess } from "./data-folder.ts";
import { exitCodes, print, printError, printJson, table, UsageError } from "./output.ts";

interface FolderOptions {
  readonly workspace?: string;
  readonly dataDir?: string;
}

export interface HistoryOptions extends FolderOptions {
  readonly email?: string;
  readonly phone?: string;
  readonly externalId?: string;
  readonly at?: string;
  readonly json?: boolean;
}

/** Everything that was said of an address and of the users who have it, or of one user; the oldest first. */
export async function history(options: HistoryOptions): Promise<number> {
  const until = options.at === undefined ? Infinity : timeOf(options.at);
  const { address, key } = subjectOf(options);
  const entries = await inWorkspace(options, async (database, { id }) => {
    const [statuses, memberships] = [await readMessagingStatus(database), await readMembershipLedger(database)];
    const chains = address === undefined ? [] : [await statuses.history(id, address)];
    for (const userId of await findUserIds(database, id, key)) chains.push(await memberships.history(id, userId));
    return chains.flat().filter(({ at }) => at <= until).toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
  });
  if (options.json) printJson(entries);
  else if (entries.length === 0) print("Nothing was ever set");
  else print(table(["TIME", "OF", "WHAT", "BEFORE", "AFTER", "KIND", "ACTOR", "REQUEST"], entries.map(cells)));
  return exitCodes.ok;
}

/** Ends with 1 and the first damaged entry where a chain is not what it was when it was written. */
export async function verify(options: FolderOptions): Promise<number> {
  const results = await inWorkspace(options, async (database, { id }) => [
    { ledger: "subscription", ...await (await readMembershipLedger(database)).verify(id) },
    { ledger: "messaging-status", ...await (await readMessagingStatus(database)).verify(id) },
  ]);
  let code: number = exitCodes.ok;
  for (const { ledger, entries, damage } of results) {
    if (damage === undefined) {
      print(`${ledger}: ${entries} entries, all as they were written`);
      continue;
    }
    printError(`${ledger}: entry ${damage.index} of ${damage.subject} is damaged: ${damage.reason}`);
    code = exitCodes.failure;
  }
  return code;
}

/** Every entry of the workspace as NDJSON, one chain after the other. */
export async function exportLedger(options: FolderOptions): Promise<number> {
  await inWorkspace(options, async (database, { id }) => {
    const ledgers = [
      { ledger: "subscription", chains: (await readMembershipLedger(database)).chains(id) },
      { ledger: "messaging-status", chains: (await readMessagingStatus(database)).chains(id) },
    ];
    for (const { ledger, chains } of ledgers) {
      for await (const chain of chains) for (const entry of chain) print(JSON.stringify({ ledger, ...entry }));
    }
  });
  return exitCodes.ok;
}

/** Prints the link of one address for the List-Unsubscribe header. */
export async function link(
  options: FolderOptions & { readonly email: string; readonly group?: string; readonly url?: string },
): Promise<number> {
  const email = emailOf(options.email);
  const token = await inWorkspace(
    options,
    async (database, { id }) => (await readMessagingStatus(database)).links.make({ workspaceId: id, email, groupId: options.group ?? "" }),
  );
  print(`${(options.url ?? "").replace(/\/+$/, "")}/unsubscribe/${token}`);
  return exitCodes.ok;
}

/** New links get a new key; those made so far stay good. */
export async function rotateLinkKey(options: FolderOptions): Promise<number> {
  const id = await inFolder(options, async (database) => (await readMessagingStatus(database)).links.rotate());
  print(`Links from now on are sealed with key ${id}; older links stay good`);
  return exitCodes.ok;
}

function inWorkspace<T>(options: FolderOptions, work: (database: Database, workspace: Workspace) => Promise<T>): Promise<T> {
  return withAccess(
    dataFolder(options.dataDir),
    { create: false },
    (access, database) => work(database, chooseWorkspace(access.rows(), options.workspace)),
  );
}

function inFolder<T>(options: FolderOptions, work: (database: Database) => Promise<T>): Promise<T> {
  return withAccess(dataFolder(options.dataDir), { create: false }, (_access, database) => work(database));
}

function subjectOf({ email, phone, externalId }: HistoryOptions) {
  const [named, ...more] = [email, phone, externalId].filter((value) => value !== undefined);
  if (named === undefined || more.length > 0) throw new UsageError("Name one of --email, --phone or --external-id");
  if (externalId !== undefined) return { address: undefined, key: { by: "externalId" as const, id: externalId } };
  if (email !== undefined) return { address: emailOf(email), key: { by: "email" as const, address: emailOf(email) } };
  const number = normalisePhone(phone ?? "");
  if (number === undefined) throw new UsageError(`"${phone}" is no phone number`);
  return { address: number, key: { by: "phone" as const, number } };
}

function emailOf(text: string): string {
  const address = normaliseEmail(text);
  if (address === undefined) throw new UsageError(`"${text}" is no email address`);
  return address;
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`"${text}" is no time: write one as 2026-01-31T12:00:00Z`);
  return time;
}

function cells(entry: LedgerEntry): string[] {
  const { at, subject, what, before, after, kind, actor, requestId } = entry;
  return [new Date(at).toISOString(), subject, what, before ?? "-", after ?? "-", kind, actor, requestId];
}
