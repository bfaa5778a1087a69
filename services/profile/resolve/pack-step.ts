/** A step as messages: effects packed by lane, identity rows, the report, and the checkpoint last; records that are larger than a message are cut. */
import { Buffer } from "node:buffer";
import { limits } from "../../../platform/limits.ts";
import type { StepMessage } from "../../../platform/log/fenced-step.ts";
import { cutRecord, partsOf } from "../../../platform/log/message-size.ts";
import { packJson } from "../../../platform/log/packed-records.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { RecordOutcome } from "../domain/ports.ts";
import { checkpointToBytes, type ResolverCheckpoint, type StepReport } from "../../../platform/lane/resolver-checkpoint.ts";
import type { Effect, RowChanges } from "./plan-effects.ts";

export interface PackDeps {
  readonly partition: number;
  readonly layout: LaneLayout;
  readonly subjectOf: (partition: number) => string;
  readonly checkpointSubject: string;
  /** Items of a profile lane as the body of one message. */
  readonly packItems: (items: readonly Uint8Array[]) => Uint8Array;
  readonly packConsent: (bodies: readonly Uint8Array[]) => Uint8Array;
}

export interface StepSizes {
  /** What a message holds. */
  readonly messageBytesMax: number;
  /** What a step holds, unless that is a single item. */
  readonly stepBytesMax: number;
}

/** One entry of the identity rows, ready to be packed with others where not all of a record's rows go into one step. */
export interface RowEntry {
  readonly to: "rows";
  readonly body: Uint8Array;
}

export type StepItem = Effect | RowEntry;

export interface StepContent {
  readonly effects: readonly Effect[];
  /** All rows of the step's records, or those of their entries that go into this step. */
  readonly rows: { readonly all: readonly RowChanges[] } | { readonly some: readonly RowEntry[] };
  readonly outcomes: readonly (readonly [sequence: number, outcome: RecordOutcome])[];
  readonly checkpoint: Omit<ResolverCheckpoint, "touched">;
}

export interface PackedStep {
  readonly messages: readonly StepMessage[];
  readonly checkpoint: ResolverCheckpoint;
}

export function packStep(deps: PackDeps, sizes: StepSizes, { effects, rows, outcomes, checkpoint }: StepContent): PackedStep {
  const { layout, partition, subjectOf, checkpointSubject } = deps;
  const messages: StepMessage[] = [];
  const ends = new Map<number, number>();
  for (const { at, body } of packLanes(deps, sizes, effects)) {
    messages.push(...cutRecord(subjectOf(at), body, sizes.messageBytesMax));
    ends.set(at, messages.length - 1);
  }
  const rowsBody = "all" in rows ? rowsToBytes(rows.all) : entriesToBytes(rows.some);
  if (rowsBody !== undefined) messages.push(...cutRecord(subjectOf(layout.rows(partition)), rowsBody, sizes.messageBytesMax));
  const names = keepsNames(rows) ? { keepsNames: true as const } : {};
  // How far the lanes are from the end depends on how many messages the report takes
  for (let count = 1;;) {
    const last = messages.length + count;
    const whole: ResolverCheckpoint = { ...checkpoint, touched: Array.from(ends, ([lane, at]) => [lane, last - at] as const) };
    const report: StepReport = { ...whole, ...names, outcomes };
    const reports = cutRecord(subjectOf(layout.reports(partition)), checkpointToBytes(report), sizes.messageBytesMax);
    if (reports.length === count) {
      return { messages: [...messages, ...reports, { subject: checkpointSubject, body: checkpointToBytes(whole) }], checkpoint: whole };
    }
    count = reports.length;
  }
}

/** Whether a step may be published as it is packed. */
export function isPublishable({ messages }: PackedStep, { stepBytesMax }: StepSizes): boolean {
  return messages.length <= limits.logBatchMessagesMax && messages.reduce((sum, { body }) => sum + body.byteLength, 0) <= stepBytesMax;
}

/**
 * How many of the items go into one step beside the report, at least one: all of them, but for a very large fan-out or
 * identity rows of addresses that very many share.
 */
export function fittingItems(items: readonly StepItem[], { messageBytesMax, stepBytesMax }: StepSizes): number {
  const open = new Map<string, number>();
  let bytes = 0;
  let messages = 0;
  for (const [at, item] of items.entries()) {
    const key = item.to === "rows" ? item.to : `${item.to}.${item.lane}`;
    const size = item.body.length + itemBytes;
    const filled = open.get(key);
    // Rows are one record, of as many messages as it takes
    const isNew = filled === undefined || (item.to !== "rows" && filled + size > messageBytesMax);
    const after = (isNew ? recordBytes : filled) + size;
    messages += partsOf(after, messageBytesMax) - (isNew ? 0 : partsOf(filled, messageBytesMax));
    open.set(key, after);
    bytes += size;
    if (at > 0 && (bytes > stepBytesMax || messages > limits.logBatchMessagesMax / 2)) return at;
  }
  return items.length;
}

/** What an item costs beside its own bytes, and what stands around all items of a record. */
const itemBytes = 4;
const recordBytes = 32;

interface LaneRecord {
  /** Where the lane lies in the lane log. */
  readonly at: number;
  readonly body: Uint8Array;
}

function packLanes(deps: PackDeps, { messageBytesMax }: StepSizes, effects: readonly Effect[]): LaneRecord[] {
  const open = new Map<string, { effect: Effect; bodies: Uint8Array[]; bytes: number }>();
  const records: LaneRecord[] = [];
  for (const effect of effects) {
    const key = `${effect.to}.${effect.lane}`;
    const filling = open.get(key);
    const bytes = effect.body.length + itemBytes;
    if (filling === undefined) open.set(key, { effect, bodies: [effect.body], bytes: recordBytes + bytes });
    else if (filling.bytes + bytes <= messageBytesMax) {
      filling.bodies.push(effect.body);
      filling.bytes += bytes;
    } else {
      records.push(laneRecord(deps, filling));
      open.set(key, { effect, bodies: [effect.body], bytes: recordBytes + bytes });
    }
  }
  for (const filling of open.values()) records.push(laneRecord(deps, filling));
  return records;
}

function laneRecord(deps: PackDeps, { effect, bodies }: { effect: Effect; bodies: readonly Uint8Array[] }): LaneRecord {
  const body = effect.to === "profile" ? deps.packItems(bodies) : deps.packConsent(bodies);
  return { at: partitionOf(deps.layout, effect), body };
}

function partitionOf(layout: LaneLayout, { to, lane }: Effect): number {
  switch (to) {
    case "profile":
      return layout.profile(lane);
    case "subscription":
      return layout.subscription(lane);
    case "messaging-status":
      return layout.messagingStatus(lane);
  }
}

/** One text of all rows of a step. */
function rowsToBytes(changes: readonly RowChanges[]): Uint8Array | undefined {
  if (changes.every(({ rows }) => rows.size === 0)) return undefined;
  const entries = changes.map(({ workspaceId, rows }) => [workspaceId, Array.from(rows, ([key, row]) => entryOf(key, row))]);
  return Buffer.from(JSON.stringify(entries));
}

function entryOf(key: IdentityKey, row: unknown): [IdentityKey, unknown?] {
  return row === undefined ? [key] : [key, row];
}

/** The same, each entry by itself: always in the same order, whichever process resolved the record. */
export function rowEntriesOf(changes: readonly RowChanges[]): RowEntry[] {
  return changes.flatMap(({ workspaceId, rows }) =>
    Array.from(rows, ([key, row]) => ({ to: "rows" as const, body: Buffer.from(JSON.stringify([workspaceId, [entryOf(key, row)]])) }))
  );
}

function entriesToBytes(entries: readonly RowEntry[]): Uint8Array | undefined {
  if (entries.length === 0) return undefined;
  return packJson(someRows, entries.map(({ body }) => body));
}

/** Stands nowhere in the text of a build before: rows have no such field, and in texts quotes are escaped. */
const someRows = '{"rows":[';

/**
 * The rows of one step from its records in order. Rows that went with several steps of one record are records of their own;
 * a build before cut the one text of a step into several.
 */
export function readRows(records: readonly Uint8Array[]): RowChanges[] {
  const texts: string[] = [];
  const pieces: Uint8Array[] = [];
  for (const record of records) {
    const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
    if (bytes.subarray(0, someRows.length).toString() === someRows) texts.push(bytes.toString().slice(someRows.length - 1, -1));
    else pieces.push(record);
  }
  if (pieces.length > 0) texts.push(Buffer.concat(pieces).toString());
  return texts.flatMap((text) => JSON.parse(text) as [string, [IdentityKey, unknown?][]][])
    .map(([workspaceId, rows]) => ({ workspaceId, rows: new Map(rows.map(([key, row]) => [key, row])) }));
}

/** Counts alone: no name, address or user changes. */
function keepsNames(rows: StepContent["rows"]): boolean {
  return "all" in rows && rows.all.every(({ rows: some }) => some.keys().every((key) => key.startsWith("n:")));
}

/** Throws where one item is more than a step holds, as the row of an address that far too many share: no wait mends that. */
export function checkItems(items: readonly StepItem[]): void {
  const large = items.find(({ body }) => body.length > limits.stepItemBytesMax);
  if (large === undefined) return;
  throw new RangeError(`Expected at most ${limits.stepItemBytesMax} bytes of one user or address, got ${large.body.length}`);
}
