/** Whatever is accepted goes out: the largest requests of every route, in any order and backlog, for any server that Heddle may have. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { checkedRecord } from "../../../platform/intake/record-size.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { checkpointFromBytes, stepReportFromBytes } from "../../../platform/lane/resolver-checkpoint.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log } from "../../../platform/log/log.ts";
import { packRecords, unpackRecords } from "../../../platform/log/packed-records.ts";
import type { Logger } from "../../../platform/logger.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { Idempotency } from "../domain/record/intake-record.ts";
import { resolveBatch } from "../domain/resolve/batch.ts";
import { encodeRecord } from "../intake/record-message.fixture.ts";
import { decodeRecord } from "../intake/record-message.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { packItem, packLaneMessage, readLaneMessage } from "../lanes/profile-lane.ts";
import { kinds, rowBefore } from "./largest-requests.fixture.ts";
import { limitedStream } from "./limited-stream.fixture.ts";
import { resolveToLanes } from "./publish-steps.ts";
import { createViews } from "./views.ts";

const layout = laneLayout(1, 4);
const checkpointSubject = "lanes.checkpoint";
const kib = 1024;
const sizes = [64 * kib, 256 * kib, 1024 * kib, 8 * 1024 * kib];

interface Sent {
  readonly kind: string;
  readonly at: number;
  readonly keyed: boolean;
}

async function appended(log: Pick<Log, "append">, entry: Parameters<typeof encodeRecord>[0]): Promise<number> {
  return await log.append(0, checkedRecord(encodeRecord(entry)), "normal");
}

/** Appends all of it, then resolves it: what the lanes, the rows and the waiting callers get, and how many messages the largest step had. */
async function carryOut(backlog: readonly Sent[], maxPayload: number) {
  const intakeLog = limitedStream({ name: "intake", partitions: 1 }, maxPayload);
  const lanes = limitedStream({ name: "lanes", partitions: layout.partitions }, maxPayload);
  let refused = 0;
  for (const [at, sent] of backlog.entries()) {
    const request = kinds[sent.kind]?.(sent.at) ?? "refused";
    if (request === "refused") {
      refused += 1;
      continue;
    }
    const idempotency: Idempotency = {
      keyHash: at.toString(16).padStart(64, "0"),
      bodyHash: "00".repeat(32),
      keepMs: 1_000,
      answer: Buffer.alloc(request.answerBytes, "x").toString("base64"),
    };
    const entry = { workspaceId: "w", requestId: `r${at}`, actor: "key", receivedAt: 0, body: request.body };
    await appended(intakeLog.log, sent.keyed ? { ...entry, idempotency } : entry).catch((error: unknown) => {
      expect(error).toBeInstanceOf(Refusal);
      refused += 1;
    });
  }
  const rows = new Map<IdentityKey, unknown>();
  const failures: string[] = [];
  const logger: Logger = { ...silentLogger, error: (event, error) => void failures.push(`${event} ${String(error)}`) };
  const tail = await intakeLog.log.tail(0);
  expect(tail > 0).toBe(refused < backlog.length);
  const reading = resolveToLanes({
    partition: 0,
    layout,
    checkpointSubject,
    subjectOf: (partition) => `lanes.${partition}`,
    intake: intakeLog.log,
    lanes: lanes.log,
    fenced: lanes.steps,
    identities: {
      load: (_, keys) =>
        Promise.resolve(
          new Map(
            keys.flatMap((key) => {
              const row = rows.has(key) ? rows.get(key) : rowBefore(key);
              return row === undefined ? [] : [[key, row]];
            }),
          ),
        ),
      save: (_, saved) => {
        for (const [key, row] of saved) rows.set(key, row);
        return Promise.resolve();
      },
      saveOrigins: () => Promise.resolve(),
      forgetSetAside: () => Promise.resolve(),
      setAside: (records) => {
        failures.push(...records.map(({ reason }) => reason));
        return Promise.resolve();
      },
    },
    trimBytes: 1,
    sizes: () => ({ messageBytesMax: Math.min(limits.stepMessageBytesMax, lanes.steps.bodyBytesMax), stepBytesMax: limits.stepBytesMax }),
    decode: decodeRecord,
    resolve: resolveBatch,
    views: createViews(),
    packItem,
    packItems: packLaneMessage,
    packConsent: packRecords,
    encodeConsent: laneRows,
    undoWindowMs: 1_000_000,
    clock: { ...systemClock, now: () => Date.UTC(2026, 0, 1) },
    logger,
    onWritten: () => {},
  });
  function through(): number {
    const checkpoint = lanes.stream.of(checkpointSubject).at(-1);
    return checkpoint === undefined ? 0 : checkpointFromBytes(checkpoint.body).through;
  }
  await expect.poll(() => failures.length > 0 || through() === tail, { interval: 10, timeout: 400_000 }).toBe(true);
  await reading.close();
  expect([...failures, ...intakeLog.stream.beyond, ...lanes.stream.beyond]).toEqual([]);
  const told = lanes.stream.of(`lanes.${layout.reports(0)}`).flatMap(({ body }) =>
    stepReportFromBytes(body).outcomes.map(([, outcome]) => outcome)
  );
  // Places in the intake differ, as records take more messages or fewer: and with them the users' ids, and their lanes
  const items = [0, 1, 2].map((service) =>
    Array.from({ length: layout.lanes }, (_, lane) => lanes.stream.of(`lanes.${service * layout.lanes + lane}`)).flat()
      .reduce((sum, { body }) => sum + (service === 0 ? readLaneMessage(body) : unpackRecords(body)).length, 0)
  );
  return {
    refused,
    items,
    outcomes: digest(told),
    rows: rows.size,
    steps: lanes.stream.batches.length,
    largest: Math.max(0, ...lanes.stream.batches),
  };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

const names = Object.keys(kinds);
const backlogOf = fc.array(fc.record({ kind: fc.constantFrom(...names), at: fc.nat({ max: 2 }), keyed: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
});

test(
  "each of the largest requests goes out by itself, keyed or not, to the least server and the default one",
  { timeout: 600_000 },
  async () => {
    const seen = { refused: 0, steps: 0, largest: 0 };
    for (const kind of names) {
      const sent = [{ kind, at: 0, keyed: true }, { kind, at: 1, keyed: false }];
      const [least, usual] = [await carryOut(sent, sizes[0] ?? 0), await carryOut(sent, sizes[2] ?? 0)];
      expect([kind, least.refused, least.items, least.outcomes, least.rows]).toEqual([
        kind,
        usual.refused,
        usual.items,
        usual.outcomes,
        usual.rows,
      ]);
      seen.refused += least.refused;
      seen.steps = Math.max(seen.steps, least.steps);
      seen.largest = Math.max(seen.largest, least.largest);
    }
    // The test would say nothing if none was too much for a step, or for the edge
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.steps).toBeGreaterThan(3);
    expect(seen.largest).toBeGreaterThan(100);
  },
);

test("any backlog of them goes out, the same whatever the server takes", { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(backlogOf, async (backlog) => {
      const [first, ...others] = await Promise.all(sizes.map((size) => carryOut(backlog, size)));
      for (const { refused, items, outcomes, rows } of others) {
        expect([refused, items, outcomes, rows]).toEqual([first?.refused, first?.items, first?.outcomes, first?.rows]);
      }
    }),
    { numRuns: 2, endOnFailure: true },
  );
});
