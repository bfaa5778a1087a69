/** Whose records wait: one that cannot be applied holds back all that is said later of the same users or addresses, and of no others. */
import { errorText } from "../error-text.ts";
import { Refusal } from "../refusal.ts";
import type { DeadLetter, LaneRecord } from "./lane.ts";
import { isAfter, type RecordId, recordIdOf } from "../age.ts";

/** A record as an applier takes it from a lane. */
export interface DecodedRecord<Payload> extends Waiting {
  /** What it says; undefined where it cannot be read. */
  readonly payload: Payload | undefined;
  /** Why it cannot be read; empty where it can. */
  readonly reason: string;
  /** As it is kept where it has to wait. */
  readonly toRow: () => LaneRecord;
}

export interface Waiting {
  readonly mark: RecordId;
  /** Users or addresses that it changes; none where the record does not say them: then it holds back no records. */
  readonly keys: readonly string[];
}

/** The name under which a record of these users or addresses is kept while it waits: of a merge both users, a line each. */
export function keyOf(keys: readonly string[]): string {
  return keys.join("\n");
}

export function keysOf(key: string): string[] {
  return key.split("\n").filter((name) => name !== "");
}

/** By user or address, the first record that waits. */
export interface Holds {
  /** The first record that this one has to wait for; undefined where it is free. */
  holding(record: Waiting): RecordId | undefined;
  add(record: Waiting): void;
  copy(): Holds;
}

export function createHolds(waiting: Iterable<Waiting>): Holds {
  const first = new Map<string, RecordId>();
  function add({ keys, mark }: Waiting): void {
    for (const key of keys) {
      const known = first.get(key);
      if (known === undefined || isAfter(known, mark)) first.set(key, mark);
    }
  }
  for (const record of waiting) add(record);
  return {
    add,
    holding: ({ keys, mark }) => keys.map((key) => first.get(key)).find((known) => known !== undefined && isAfter(mark, known)),
    copy: () => createHolds(Array.from(first, ([key, mark]) => ({ keys: [key], mark }))),
  };
}

export interface Planned<Payload, Plan> {
  readonly plan: Plan;
  /** What the plan holds, in order. */
  readonly free: readonly DecodedRecord<Payload>[];
  readonly deadLetters: readonly DeadLetter[];
  /** With what was set aside. */
  readonly holds: Holds;
}

/** Called with a record whose pure step threw; what was planned with it is thrown away. */
export type Blame<Payload> = (payload: Payload, error: unknown) => void;

/**
 * Plans what is free, in order. A record that cannot be read, whose pure step throws, or that comes behind such a one of
 * the same users, is set aside; what a step that threw may have left half done is planned again without it. What store
 * and log throw is no record's fault, and passed on.
 */
export async function planAround<Payload, Plan>(
  decoded: readonly DecodedRecord<Payload>[],
  before: Holds,
  plan: (free: readonly Payload[], blame: Blame<Payload>) => Promise<Plan>,
): Promise<Planned<Payload, Plan>> {
  const failed = new Map<Payload, string>();
  for (;;) {
    const sorted = sortOut(decoded, before, failed);
    const known = failed.size;
    const planned = await plan(
      sorted.free.flatMap(({ payload }) => payload ?? []),
      (payload, error) => failed.set(payload, errorText(error)),
    );
    if (failed.size === known) return { ...sorted, plan: planned };
  }
}

function sortOut<Payload>(
  decoded: readonly DecodedRecord<Payload>[],
  before: Holds,
  failed: ReadonlyMap<Payload, string>,
): Omit<Planned<Payload, unknown>, "plan"> {
  const holds = before.copy();
  const free: DecodedRecord<Payload>[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const record of decoded) {
    const reason = reasonToWait(record, holds, failed);
    if (reason === undefined) {
      free.push(record);
      continue;
    }
    deadLetters.push({ record: record.toRow(), reason });
    holds.add(record);
  }
  return { free, deadLetters, holds };
}

function reasonToWait<Payload>(record: DecodedRecord<Payload>, holds: Holds, failed: ReadonlyMap<Payload, string>): string | undefined {
  const holding = holds.holding(record);
  if (holding !== undefined) return waitsForText(holding);
  return record.payload === undefined ? record.reason : failed.get(record.payload);
}

/**
 * What of the records that wait, in their order, can be tried once more: read, and with nothing before it that cannot. `ofWorkspaces`: what holds others
 * back of those before these, to which that of these is added.
 */
export function redrivable(
  waiting: readonly DeadLetter[],
  read: (record: LaneRecord) => readonly DecodedRecord<unknown>[],
  ofWorkspaces: Map<string, Holds>,
): LaneRecord[] {
  return waiting.map(({ record }) => record).filter((record) => {
    const holds = ofWorkspaces.get(record.workspaceId) ?? createHolds([]);
    const decoded = read(record);
    const isFree = decoded.every((one) => one.payload !== undefined && holds.holding(one) === undefined);
    if (!isFree) { for (const one of decoded) holds.add(one); }
    ofWorkspaces.set(record.workspaceId, holds);
    return isFree;
  });
}

/** Those that do not say their workspace, and the others. */
export function partitioned(records: readonly LaneRecord[]): readonly [lost: LaneRecord[], known: LaneRecord[]] {
  return [records.filter(({ workspaceId }) => workspaceId === ""), records.filter(({ workspaceId }) => workspaceId !== "")];
}

/** The user or address that a record changes first. */
export type Whose = Pick<LaneRecord, "workspaceId" | "key">;
export type DeadLetterId = Pick<LaneRecord, "workspaceId" | "sequence" | "part">;

/**
 * The record at the place, if it is what holds others back; `holds`: of all that waits of its workspace. Refuses NOT_FOUND, and
 * STATE_CONFLICT where it waits for another one itself.
 */
export function skippable(waiting: readonly DeadLetter[], place: DeadLetterId, holds: Holds): LaneRecord {
  const { record } = waitingAt(waiting, place);
  const holding = holds.holding({ mark: recordIdOf(record), keys: keysOf(record.key) });
  if (holding !== undefined) throw new Refusal("STATE_CONFLICT", `${waitsForText(holding)}: skip what holds that one back`);
  return record;
}

/** Refuses NOT_FOUND. */
export function waitingAt(waiting: readonly DeadLetter[], { workspaceId, sequence, part }: DeadLetterId): DeadLetter {
  const found = waiting.find(({ record }) => {
    return record.workspaceId === workspaceId && record.sequence === sequence && record.part === part;
  });
  if (found === undefined) throw new Refusal("NOT_FOUND", `Expected a record that waits at ${sequence}.${part}, got none`);
  return found;
}

/** No names: a reason goes to the log. */
function waitsForText(mark: RecordId): string {
  return `${waitsFor}${mark.join(".")}`;
}

/** Whether a record was set aside for another one, and not for a fault of its own. */
export function isToWait({ reason }: Pick<DeadLetter, "reason">): boolean {
  return reason.startsWith(waitsFor);
}

const waitsFor = "Waits for the record at ";
