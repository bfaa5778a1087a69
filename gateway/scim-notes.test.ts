/** Notes behind a SCIM part that hangs or refuses: one call under way, a bounded number waiting, what is lost counted. */
import { expect, test } from "vitest";
import type { Client } from "@connectrpc/connect";
import { fakeClock } from "../platform/clock.fixture.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
import { Refusal } from "../platform/refusal.ts";
import { noMetrics } from "../platform/telemetry/metrics.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { openScimNotes, type ScimNote } from "./scim-notes.ts";

const scope: ScimNote["scope"] = {
  companyId: "c",
  requestId: "r",
  actor: "t",
  origin: "okta",
  method: "GET",
  target: "/scim/v2/Users",
  idempotencyKey: "",
  baseUrl: "",
  traceparent: "",
};

function open(logRequests: (call: { requests: unknown[] }) => Promise<void>) {
  const lost: [string, number][] = [];
  const notes = openScimNotes({
    scim: { logRequests } as unknown as Client<typeof ScimService>,
    clock: fakeClock(),
    logger: silentLogger,
    metrics: { ...noMetrics, count: (metric, { reason = "" }, by = 1) => void lost.push([`${metric} ${reason}`, by]) },
  });
  return { notes, lost };
}

test("a part that hangs gets one call at a time, and no more wait than there is room for", async () => {
  const calls: number[] = [];
  const hung = Promise.withResolvers<void>();
  const { notes, lost } = open(async ({ requests }) => {
    calls.push(requests.length);
    await hung.promise;
  });
  for (let at = 0; at < limits.scimNotesWaitingMax + 7; at += 1) notes.add({ scope, status: 200 });
  expect(calls).toEqual([limits.scimNotesPerCallMax]);
  hung.resolve();
  await notes.close();
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(limits.scimNotesWaitingMax);
  expect(lost).toEqual([["scimLinesLost full", 7]]);
});

test("notes that the part cannot write are counted once", async () => {
  const { notes, lost } = open(() => Promise.reject(new Refusal("STORE_UNAVAILABLE")));
  for (let at = 0; at < 3; at += 1) notes.add({ scope, status: 200 });
  await notes.close();
  expect(lost).toEqual([["scimLinesLost failed", 3]]);
});
