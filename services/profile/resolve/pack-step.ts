/** A step as messages: effects packed by lane, identity rows in pieces, what is told, and the checkpoint last. */
import { Buffer } from "node:buffer";
import { limits } from "../../../platform/limits.ts";
import type { StepMessage } from "../../../platform/log/fenced-step.ts";
import type { IdentityKey } from "../domain/identity.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { RecordOutcome } from "../domain/ports.ts";
import { type Place, placeToBytes } from "../../../platform/lane/place.ts";
import type { Effect, RowChanges } from "./plan-effects.ts";

export interface PackParts {
  readonly partition: number;
  readonly layout: LaneLayout;
  readonly subjectOf: (partition: number) => string;
  readonly checkpointSubject: string;
  /** Items of a profile lane as the body of one message. */
  readonly packItems: (items: readonly string[]) => Uint8Array;
  readonly packConsent: (bodies: readonly Uint8Array[]) => Uint8Array;
  readonly sizes: StepSizes;
}

export interface StepSizes {
  readonly messageBytesMax: number;
  readonly stepBytesMax: number;
}

export interface StepContent {
  readonly effects: readonly Effect[];
  readonly changes: readonly RowChanges[];
  readonly outcomes: readonly (readonly [sequence: number, outcome: RecordOutcome])[];
  readonly place: Omit<Place, "touched">;
}

export interface PackedStep {
  readonly messages: readonly StepMessage[];
  readonly place: Place;
}

export function packStep(parts: PackParts, { effects, changes, outcomes, place }: StepContent): PackedStep {
  const lanes = packLanes(parts, effects);
  const rows = packRows(changes, parts.sizes).map((body) => ({ subject: parts.subjectOf(parts.layout.rows(parts.partition)), body }));
  const size = lanes.length + rows.length + 2;
  const touched = lanes.map(({ partition }, at) => [partition, size - 1 - at] as const);
  const whole = { ...place, touched };
  const told = { subject: parts.subjectOf(parts.layout.told(parts.partition)), body: toldToBytes(whole, outcomes) };
  const checkpoint = { subject: parts.checkpointSubject, body: placeToBytes(whole) };
  return { messages: [...lanes.map(({ message }) => message), ...rows, told, checkpoint], place: whole };
}

/** How many of the effects go into one step; all of them, but for a very large fan-out. */
export function fittingEffects(effects: readonly Effect[], { messageBytesMax, stepBytesMax }: StepSizes): number {
  let bytes = 0;
  const open = new Map<string, number>();
  let messages = 0;
  for (const [at, { to, lane, body }] of effects.entries()) {
    const key = `${to}.${lane}`;
    const filled = (open.get(key) ?? Infinity) + body.length + itemBytes;
    if (filled > messageBytesMax) messages += 1;
    open.set(key, filled > messageBytesMax ? body.length + itemBytes : filled);
    bytes += body.length + itemBytes;
    if (at > 0 && (bytes > stepBytesMax || messages > limits.logBatchMessagesMax / 2)) return at;
  }
  return effects.length;
}

/** What an item costs beside its own bytes. */
const itemBytes = 4;

interface LaneMessage {
  /** Where the lane lies in the lane log. */
  readonly partition: number;
  readonly message: StepMessage;
}

function packLanes(parts: PackParts, effects: readonly Effect[]): LaneMessage[] {
  const open = new Map<string, { effect: Effect; bodies: Uint8Array[]; bytes: number }>();
  const messages: LaneMessage[] = [];
  for (const effect of effects) {
    const key = `${effect.to}.${effect.lane}`;
    const filling = open.get(key);
    const bytes = effect.body.length + itemBytes;
    if (filling === undefined) open.set(key, { effect, bodies: [effect.body], bytes });
    else if (filling.bytes + bytes <= parts.sizes.messageBytesMax) {
      filling.bodies.push(effect.body);
      filling.bytes += bytes;
    } else {
      messages.push(laneMessage(parts, filling));
      open.set(key, { effect, bodies: [effect.body], bytes });
    }
  }
  for (const filling of open.values()) messages.push(laneMessage(parts, filling));
  return messages;
}

function laneMessage(parts: PackParts, { effect, bodies }: { effect: Effect; bodies: readonly Uint8Array[] }): LaneMessage {
  const { layout, subjectOf } = parts;
  const partition = partitionOf(layout, effect);
  const body = effect.to === "profile" ? parts.packItems(bodies.map((item) => Buffer.from(item).toString())) : parts.packConsent(bodies);
  return { partition, message: { subject: subjectOf(partition), body } };
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

/** One text in as many pieces as messages allow: a row of very many sharers is larger than one. */
function packRows(changes: readonly RowChanges[], { messageBytesMax }: StepSizes): Uint8Array[] {
  const entries = changes.map((
    { workspaceId, rows },
  ) => [workspaceId, Array.from(rows, ([key, row]) => (row === undefined ? [key] : [key, row]))]);
  if (changes.every(({ rows }) => rows.size === 0)) return [];
  const bytes = Buffer.from(JSON.stringify(entries));
  const pieces = Math.ceil(bytes.length / messageBytesMax);
  return Array.from({ length: pieces }, (_, at) => bytes.subarray(at * messageBytesMax, (at + 1) * messageBytesMax));
}

/** The rows of one step from its pieces in order. */
export function readRows(pieces: readonly Uint8Array[]): RowChanges[] {
  if (pieces.length === 0) return [];
  const entries = JSON.parse(Buffer.concat(pieces).toString()) as [string, [IdentityKey, unknown?][]][];
  return entries.map(([workspaceId, rows]) => ({ workspaceId, rows: new Map(rows.map(([key, row]) => [key, row])) }));
}

function toldToBytes(place: Place, outcomes: StepContent["outcomes"]): Uint8Array {
  const told = { ...place, outcomes };
  return placeToBytes(told);
}
