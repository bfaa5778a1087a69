/** heddle consent: the consent ledger and unsubscribe links, in the data folder or in the mesh, whether or not servers run. */
import type { Workspace } from "../../gateway/access/access.ts";
import { normaliseEmail, normalisePhone } from "../../platform/address.ts";
import type { LedgerDamage, LedgerEntry } from "../../platform/ledger/ledger.ts";
import { ledgerEntryFromMessage } from "../../platform/ledger/message.ts";
import { findById } from "../../platform/identifier.ts";
import { Channel, type Group } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { asCalled } from "../shell/called-as.ts";
import { withAccessTarget, type WorkspaceOptions } from "../target/access-target.ts";
import { type ConsentTarget, ledgerEntries, verifyLedger, withConsentTarget } from "../target/consent-target.ts";
import { chooseWorkspace } from "../target/data-folder.ts";
import { linkBase } from "../target/link-base.ts";
import {
  CommandError,
  counted,
  exitCodes,
  isoTime,
  print,
  printData,
  printError,
  printJson,
  printResult,
  table,
  UsageError,
} from "../shell/output.ts";

export interface HistoryOptions extends WorkspaceOptions {
  readonly email?: string;
  readonly phone?: string;
  readonly externalId?: string;
  readonly at?: string;
}

/** Everything that was said of an address and of the users who have it, or of one user; the oldest first. */
export async function history(options: HistoryOptions): Promise<number> {
  const until = options.at === undefined ? Infinity : timeOf(options.at);
  const { key, address } = subjectOf(options);
  const [ofUsers, ofAddress] = await inWorkspace(options, async ({ subscription, messagingStatus }, { id: workspaceId }) => {
    const scope = { workspaceId };
    const own = await subscription.getHistory({ scope, users: [{ key }] });
    return [own, address === undefined ? undefined : await messagingStatus.getHistory({ scope, addresses: [address] })] as const;
  });
  const all = [...ofAddress?.entries ?? [], ...ofUsers.entries].map(ledgerEntryFromMessage);
  const lost = [ofUsers, ofAddress].flatMap((one) => one?.damage ?? []).find(({ subject }) => all.every((one) => one.subject !== subject));
  if (lost !== undefined) throw new CommandError(`entry ${lost.index} of ${lost.subject} is damaged: ${lost.reason}`);
  const entries = all.filter(({ at }) => at <= until).toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
  const { externalId } = options;
  const nothing = externalId !== undefined && ofUsers.chains === 0 ? `No user has the external id "${externalId}"` : "Nothing was ever set";
  const columns = ["TIME", "OF", "WHAT", "BEFORE", "AFTER", "KIND", "ACTOR", "REQUEST"];
  if (ofUsers.behind || ofAddress?.behind) {
    printError(asCalled("Not all that was answered before is in it yet: look again, or see heddle log status"));
  }
  printResult(options, entries.map(shown), entries.length === 0 ? nothing : table(columns, entries.map(cells)));
  return exitCodes.ok;
}

/** Ends with 1 and the first damaged entry where a chain is not what it was when it was written. */
export async function verify(options: WorkspaceOptions): Promise<number> {
  const results = await inWorkspace(
    options,
    ({ ledgers }, { id }) => Promise.all(ledgers.map(async (target) => ({ ledger: target.ledger, ...await verifyLedger(target, id) }))),
  );
  if (options.json) printJson(results.map(verdictJson));
  else results.forEach(sayVerdict);
  return results.every(({ damage }) => damage === undefined) ? exitCodes.ok : exitCodes.failure;
}

/** Every entry of the workspace as NDJSON, one chain after the other. */
export async function exportLedger(options: WorkspaceOptions): Promise<number> {
  await inWorkspace(options, async ({ ledgers }, { id }) => {
    for (const target of ledgers) {
      for await (const entry of ledgerEntries(target, id)) printData(JSON.stringify({ ledger: target.ledger, ...shown(entry) }));
    }
  });
  return exitCodes.ok;
}

/** Prints the link of one address for the List-Unsubscribe header. */
export async function link(
  options: WorkspaceOptions & { readonly email: string; readonly group?: string; readonly url?: string },
): Promise<number> {
  const email = emailOf(options.email);
  const base = linkBase(options);
  const path = await inWorkspace(options, async ({ subscription, messagingStatus }, { id: workspaceId }) => {
    const scope = { workspaceId };
    const group = options.group === undefined ? "" : emailGroupIdOf((await subscription.listGroups({ scope })).groups, options.group);
    return (await messagingStatus.createUnsubscribeLink({ scope, email, subscriptionGroupId: group })).path;
  });
  const url = `${base}${path}`;
  printResult(options, { url }, url);
  return exitCodes.ok;
}

/** New links get a new key; those made so far stay good. */
export async function rotateLinkKey(options: WorkspaceOptions): Promise<number> {
  const { keyId: id } = await withTarget(options, ({ messagingStatus }) => messagingStatus.rotateLinkKey({}));
  printResult(options, { keyId: id }, `Links from now on are sealed with key ${id}; older links stay good`);
  return exitCodes.ok;
}

function inWorkspace<T>(options: WorkspaceOptions, work: (target: ConsentTarget, workspace: Workspace) => Promise<T>): Promise<T> {
  return withAccessTarget(options, (access, database) => {
    const workspace = chooseWorkspace(access.rows(), options.workspace);
    return withConsentTarget({ database }, (target) => work(target, workspace));
  });
}

function withTarget<T>(options: WorkspaceOptions, work: (target: ConsentTarget) => Promise<T>): Promise<T> {
  return withAccessTarget(options, (_access, database) => withConsentTarget({ database }, work));
}

/** No address where one user is meant. */
function subjectOf({ email, phone, externalId }: HistoryOptions) {
  const [named, ...more] = [email, phone, externalId].filter((value) => value !== undefined);
  if (named === undefined || more.length > 0) throw new UsageError("Name one of --email, --phone or --external-id");
  if (externalId !== undefined) return { address: undefined, key: { case: "externalId" as const, value: externalId } };
  if (email !== undefined) return { address: emailOf(email), key: { case: "email" as const, value: emailOf(email) } };
  const number = normalisePhone(phone ?? "");
  if (number === undefined) throw new UsageError(`"${phone}" is no phone number`);
  return { address: number, key: { case: "phone" as const, value: number } };
}

function emailOf(text: string): string {
  const address = normaliseEmail(text);
  if (address === undefined) throw new UsageError(`"${text}" is no email address`);
  return address;
}

/** As the group was declared: a UUID may be written in any case. A link says who leaves by an email address, which no group of phones takes. */
function emailGroupIdOf(groups: readonly Group[], wanted: string): string {
  const ofEmail = groups.filter(({ channel }) => channel === Channel.EMAIL);
  const found = findById(ofEmail, wanted);
  if (found !== undefined) return found.id;
  const there = ofEmail.filter(({ archived }) => !archived).map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new CommandError(
    `Invalid subscription group ID "${wanted}": ${there === "" ? "the workspace has no groups of email" : `those of email are ${there}`}`,
  );
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`"${text}" is no time: write one as 2026-01-31T12:00:00Z`);
  return time;
}

function shown(entry: LedgerEntry) {
  return { ...entry, at: isoTime(entry.at) };
}

interface Verdict {
  readonly ledger: string;
  readonly entries: number;
  readonly damage: Omit<LedgerDamage, "$typeName"> | undefined;
}

function sayVerdict({ ledger, entries, damage }: Verdict): void {
  if (damage === undefined) print(`${ledger}: ${counted(entries, "entry", "entries")}, all as they were written`);
  else printError(`${ledger}: entry ${damage.index} of ${damage.subject} is damaged: ${damage.reason}`);
}

function verdictJson({ ledger, entries, damage }: Verdict) {
  if (damage === undefined) return { ledger, entries, damage: null };
  const { subject, index, reason } = damage;
  return { ledger, entries, damage: { subject, index, reason } };
}

function cells(entry: LedgerEntry): string[] {
  const { at, subject, what, before, after, kind, actor, requestId } = entry;
  return [isoTime(at), subject, what, before ?? "-", after ?? "-", kind, actor, requestId];
}
