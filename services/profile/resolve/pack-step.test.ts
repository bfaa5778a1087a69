/** Steps as messages: what belongs together stays in order, nothing is too large, and rows come back whole. */
import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { packRecords, unpackRecords } from "../../../platform/log/packed-records.ts";
import type { IdentityKey } from "../domain/identity.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { fittingEffects, type PackParts, packStep, readRows } from "./pack-step.ts";
import { firstPlace, placeFromBytes, tailsAfter, toldFromBytes } from "../../../platform/lane/place.ts";
import type { Effect } from "./plan-effects.ts";

const layout = laneLayout(1, 2);
const parts: PackParts = {
  partition: 0,
  layout,
  subjectOf: (partition) => `l.${partition}`,
  checkpointSubject: "l.checkpoint.0",
  packItems: (items) => Buffer.from(items.join("|")),
  packConsent: packRecords,
  sizes: { messageBytesMax: 40, stepBytesMax: 200 },
};
const effect = fc.record({
  to: fc.constantFrom("profile" as const, "subscription" as const, "messaging-status" as const),
  lane: fc.nat({ max: 1 }),
  body: fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom("a", "b") }).map((text) => Buffer.from(text)),
});

function step(effects: readonly Effect[], rows: ReadonlyMap<IdentityKey, unknown> = new Map()) {
  const { touched: _, ...place } = { ...firstPlace, through: 7 };
  return packStep(parts, { effects, changes: [{ workspaceId: "w", rows }], outcomes: [[7, { setAside: true }]], place });
}

test("packStep() keeps the order of each lane, and no message is larger than allowed", () => {
  fc.assert(fc.property(fc.array(effect), (effects) => {
    const { messages } = step(effects);
    for (const lane of [0, 1]) {
      const sent = messages.filter(({ subject }) => subject === `l.${layout.profile(lane)}`).map(({ body }) =>
        Buffer.from(body).toString()
      );
      const own = effects.filter((one) => one.to === "profile" && one.lane === lane).map(({ body }) => body.toString());
      expect(sent.flatMap((text) => text.split("|"))).toEqual(own);
      const consent = messages.filter(({ subject }) => subject === `l.${layout.subscription(lane)}`).flatMap(({ body }) =>
        unpackRecords(body)
      );
      const subscriptions = effects.filter((one) => one.to === "subscription" && one.lane === lane).map(({ body }) => body.toString());
      expect(consent.map((body) => Buffer.from(body).toString())).toEqual(subscriptions);
    }
    for (const { body } of messages.slice(0, -2)) expect(body.byteLength).toBeLessThanOrEqual(parts.sizes.messageBytesMax);
  }));
});

test("packStep() ends with what is told and the checkpoint, which know where each lane's last message stands", () => {
  fc.assert(fc.property(fc.array(effect), (effects) => {
    const { messages, place } = step(effects);
    expect(messages.slice(-2).map(({ subject }) => subject)).toEqual([`l.${layout.told(0)}`, "l.checkpoint.0"]);
    expect(placeFromBytes(messages.at(-1)?.body ?? new Uint8Array())).toEqual(place);
    expect(toldFromBytes(messages.at(-2)?.body ?? new Uint8Array())).toEqual({ ...place, outcomes: [[7, { setAside: true }]] });
    const first = 100;
    const tails = tailsAfter(place, first + messages.length - 1);
    for (const lane of [0, 1]) {
      const last = messages.findLastIndex(({ subject }) => subject === `l.${layout.profile(lane)}`);
      expect(tails[lane] ?? 0).toBe(last < 0 ? 0 : first + last);
    }
  }));
});

test("readRows() gives back the identity rows however many messages they took; a row that goes is undefined", () => {
  const rows = new Map<IdentityKey, unknown>([["x:a", "ü".repeat(100)], ["u:1", { id: "1" }], ["x:b", undefined]]);
  const { messages } = step([], rows);
  const pieces = messages.filter(({ subject }) => subject === `l.${layout.rows(0)}`).map(({ body }) => body);
  expect(pieces.length).toBeGreaterThan(2);
  expect(readRows(pieces)).toEqual([{ workspaceId: "w", rows }]);
  expect(readRows([])).toEqual([]);
});

test("fittingEffects() cuts what is too much for one step, and always lets one through", () => {
  fc.assert(fc.property(fc.array(effect, { minLength: 1, maxLength: 60 }), (effects) => {
    const count = fittingEffects(effects, parts.sizes);
    expect(count).toBeGreaterThan(0);
    const bytes = effects.slice(0, count).reduce((sum, { body }) => sum + body.length, 0);
    expect(bytes).toBeLessThanOrEqual(parts.sizes.stepBytesMax);
    if (count < effects.length) expect(effects.length).toBeGreaterThan(3);
  }));
});
