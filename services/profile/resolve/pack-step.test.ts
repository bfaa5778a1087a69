/** Steps as messages: what belongs together stays in order, nothing is too large, and rows come back whole. */
import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { bodyBytesMaxOf, joinParts } from "../../../platform/log/message-size.ts";
import { packRecords, unpackRecords } from "../../../platform/log/packed-records.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { fittingItems, type PackDeps, packStep, readRows, rowEntriesOf, type StepContent } from "./pack-step.ts";
import {
  checkpointFromBytes,
  checkpointToBytes,
  firstCheckpoint,
  stepReportFromBytes,
  tailsAfter,
} from "../../../platform/lane/resolver-checkpoint.ts";
import type { Effect } from "./plan-effects.ts";
import { passedOver } from "./resolve-records.ts";

const layout = laneLayout(1, 2);
const deps: PackDeps = {
  partition: 0,
  layout,
  subjectOf: (partition) => `l.${partition}`,
  checkpointSubject: "l.checkpoint.0",
  packItems: (items) => Buffer.from(items.map(String).join("|")),
  packConsent: packRecords,
};
const sizes = { messageBytesMax: 60, stepBytesMax: 200 };
const effect = fc.record({
  to: fc.constantFrom("profile" as const, "subscription" as const, "messaging-status" as const),
  lane: fc.nat({ max: 1 }),
  body: fc.string({ minLength: 1, maxLength: 20, size: "max", unit: fc.constantFrom("a", "b") }).map((text) => Buffer.from(text)),
});

type Rows = ReadonlyMap<IdentityKey, unknown>;

function step(effects: readonly Effect[], rows: StepContent["rows"] = { all: [] }, answer = "") {
  const { touched: _, ...checkpoint } = { ...firstCheckpoint, through: 7 };
  return packStep(deps, sizes, { effects, rows, outcomes: [[7, { repeat: { kind: "first", answer } }]], checkpoint });
}

/** The records that a reader of the partition gets, with where the last part of each stands, counted from 0. */
function recordsIn({ messages }: ReturnType<typeof step>, subject: string): { readonly body: Uint8Array; readonly at: number }[] {
  const records: { body: Uint8Array; at: number }[] = [];
  let open: Uint8Array[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.subject !== subject) continue;
    const [index, count] = message.part ?? [0, 1];
    expect(open).toHaveLength(index);
    open.push(message.body);
    if (index + 1 < count) continue;
    records.push({ body: joinParts(open), at });
    open = [];
  }
  expect(open).toEqual([]);
  return records;
}

test("packStep() keeps the order of each lane, and no message is larger than allowed", () => {
  fc.assert(fc.property(fc.array(effect), (effects) => {
    const packed = step(effects);
    for (const lane of [0, 1]) {
      const sent = recordsIn(packed, `l.${layout.profile(lane)}`).map(({ body }) => Buffer.from(body).toString());
      const own = effects.filter((one) => one.to === "profile" && one.lane === lane).map(({ body }) => body.toString());
      expect(sent.flatMap((text) => text.split("|"))).toEqual(own);
      const consent = recordsIn(packed, `l.${layout.subscription(lane)}`).flatMap(({ body }) => unpackRecords(body));
      const subscriptions = effects.filter((one) => one.to === "subscription" && one.lane === lane).map(({ body }) => body.toString());
      expect(consent.map((body) => Buffer.from(body).toString())).toEqual(subscriptions);
    }
    for (const { body } of packed.messages.slice(0, -1)) expect(body.byteLength).toBeLessThanOrEqual(sizes.messageBytesMax);
  }));
});

test("packStep() ends with what is told and the checkpoint, which know where each lane's last record stands", () => {
  fc.assert(fc.property(fc.array(effect), fc.nat({ max: 1_000 }), (effects, answerChars) => {
    const answer = "a".repeat(answerChars);
    const packed = step(effects, { all: [] }, answer);
    const { messages, checkpoint } = packed;
    const [told, ...more] = recordsIn(packed, `l.${layout.reports(0)}`);
    expect(more).toEqual([]);
    expect(told?.at).toBe(messages.length - 2);
    expect(messages.at(-1)?.subject).toBe("l.checkpoint.0");
    expect(checkpointFromBytes(messages.at(-1)?.body ?? new Uint8Array())).toEqual(checkpoint);
    expect(stepReportFromBytes(told?.body ?? new Uint8Array())).toEqual({
      ...checkpoint,
      keepsNames: true,
      outcomes: [[7, { repeat: { kind: "first", answer } }]],
    });
    const first = 100;
    const tails = tailsAfter(checkpoint, first + messages.length - 1);
    for (const lane of [0, 1]) {
      const last = recordsIn(packed, `l.${layout.profile(lane)}`).at(-1);
      expect(tails[lane] ?? 0).toBe(last === undefined ? 0 : first + last.at);
    }
  }));
});

test("packStep() reports a dead letter under the name that every build reads", () => {
  const { outcomes } = passedOver(0, { sequence: 7, body: new Uint8Array() }, new Error("planted"));
  const { touched: _, ...checkpoint } = { ...firstCheckpoint, through: 7 };
  const wide = { messageBytesMax: 1_000, stepBytesMax: 1_000 };
  const [report] = recordsIn(packStep(deps, wide, { effects: [], rows: { all: [] }, outcomes, checkpoint }), `l.${layout.reports(0)}`);
  expect(JSON.parse(Buffer.from(report?.body ?? "").toString())).toMatchObject({ outcomes: [[7, { setAside: true }]] });
});

test.each([
  { what: "no rows", rows: { all: [] }, keeps: true },
  { what: "counts alone", rows: { all: [rowsOf("w", "n:newest", "n:m:7"), rowsOf("v")] }, keeps: true },
  { what: "a name beside counts", rows: { all: [rowsOf("w", "n:newest"), rowsOf("v", "n:total", "x:a")] }, keeps: undefined },
  { what: "some of the rows of a record", rows: { some: rowEntriesOf([rowsOf("w", "n:newest")]) }, keeps: undefined },
])("packStep() reports whether names are as they were: $what", ({ rows, keeps }) => {
  const [report] = recordsIn(step([], rows), `l.${layout.reports(0)}`);
  expect(stepReportFromBytes(report?.body ?? new Uint8Array()).keepsNames).toBe(keeps);
});

function rowsOf(workspaceId: string, ...keys: readonly IdentityKey[]) {
  return { workspaceId, rows: new Map(keys.map((key) => [key, {}])) };
}

const changed: Rows = new Map<IdentityKey, unknown>([["x:a", "ü".repeat(100)], ["u:1", { id: "1" }], ["x:b", undefined]]);

test("readRows() gives back the identity rows however many messages they took; a row that goes is undefined", () => {
  const packed = step([], { all: [{ workspaceId: "w", rows: changed }] });
  const records = recordsIn(packed, `l.${layout.rows(0)}`);
  expect(packed.messages.length).toBeGreaterThan(5);
  expect(readRows(records.map(({ body }) => body))).toEqual([{ workspaceId: "w", rows: changed }]);
  expect(readRows([])).toEqual([]);
});

test("readRows() reads the one text of a build before, cut anywhere", () => {
  const text = Buffer.from(JSON.stringify([["w", [["x:a", "ü".repeat(100)], ["u:1", { id: "1" }], ["x:b"]]]]));
  for (const size of [1, 7, 60, text.length]) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.subarray(at * size, (at + 1) * size));
    expect(readRows(pieces)).toEqual([{ workspaceId: "w", rows: changed }]);
  }
});

test("readRows() reads rows that went with several steps, some of them twice", () => {
  const entries = rowEntriesOf([{ workspaceId: "w", rows: changed }, { workspaceId: "v", rows: new Map([["x:a", "1"]]) }]);
  const steps = [entries.slice(0, 1), entries.slice(0, 3), entries.slice(3)];
  const records = steps.flatMap((some) => recordsIn(step([], { some }), `l.${layout.rows(0)}`)).map(({ body }) => body);
  const found = new Map<string, unknown>();
  for (const { workspaceId, rows } of readRows(records)) for (const [key, row] of rows) found.set(`${workspaceId} ${key}`, row);
  expect([...found]).toEqual([["w x:a", "ü".repeat(100)], ["w u:1", { id: "1" }], ["w x:b", undefined], ["v x:a", "1"]]);
});

test("fittingItems() cuts what is too much for one step, and always lets one through", () => {
  let cuts = 0;
  fc.assert(fc.property(fc.array(effect, { minLength: 1, maxLength: 60, size: "max" }), (effects) => {
    const count = fittingItems(effects, sizes);
    expect(count).toBeGreaterThan(0);
    const bytes = effects.slice(0, count).reduce((sum, { body }) => sum + body.length, 0);
    expect(bytes).toBeLessThanOrEqual(sizes.stepBytesMax);
    if (count === effects.length) return;
    cuts += 1;
    expect(effects.length).toBeGreaterThan(3);
  }));
  expect(cuts).toBeGreaterThan(10);
});

test("fittingItems() counts the messages that records take, also those of one item", () => {
  const wide = { messageBytesMax: 100, stepBytesMax: 10 ** 9 };
  const items = Array.from(
    { length: 400 },
    (_, at) => ({ to: "profile" as const, lane: at % 2, body: Buffer.alloc(at % 3 === 0 ? 350 : 80) }),
  );
  const count = fittingItems(items, wide);
  expect(count).toBeLessThan(items.length);
  const packed = packStep(deps, wide, { effects: items.slice(0, count), rows: { all: [] }, outcomes: [], checkpoint: firstCheckpoint });
  expect(packed.messages.length).toBeLessThanOrEqual(limits.logBatchMessagesMax / 2 + 2);
  expect(packed.messages.length).toBeGreaterThan(limits.logBatchMessagesMax / 4);
  for (const { body } of packed.messages.slice(0, -2)) expect(body.byteLength).toBeLessThanOrEqual(wide.messageBytesMax);
});

test("a checkpoint of as many lanes as can be is one message of the smallest server", () => {
  const lanes = 3 * 1024;
  const checkpoint = {
    ...firstCheckpoint,
    through: Number.MAX_SAFE_INTEGER,
    now: Number.MAX_SAFE_INTEGER,
    written: Number.MAX_SAFE_INTEGER,
    inside: { taken: 10 ** 9, now: Number.MAX_SAFE_INTEGER, usersPerRecord: 1_000, ownParts: true as const },
    // The last of the fifteen lives of a log
    tails: Array.from({ length: lanes }, () => 16 * 2 ** 40),
    touched: Array.from({ length: limits.logBatchMessagesMax }, (_, at) => [lanes + at, limits.logBatchMessagesMax] as const),
  };
  expect(checkpointToBytes(checkpoint).byteLength).toBeLessThanOrEqual(bodyBytesMaxOf(limits.logMessageBytesMin));
});
