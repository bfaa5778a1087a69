/** Notes behind a SCIM part that hangs: one call under way, a bounded number waiting, the rest counted. */
import { expect, test } from "vitest";
import type { Client } from "@connectrpc/connect";
import { fakeClock } from "../platform/clock.fixture.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
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

test("a part that hangs gets one call at a time, and no more wait than there is room for", async () => {
  const calls: number[] = [];
  const lost: [string, number][] = [];
  const hung = Promise.withResolvers<void>();
  const logRequests = async ({ requests }: { requests: unknown[] }) => {
    calls.push(requests.length);
    await hung.promise;
  };
  const notes = openScimNotes({
    scim: { logRequests } as unknown as Client<typeof ScimService>,
    clock: fakeClock(),
    logger: silentLogger,
    metrics: { ...noMetrics, count: (metric, { reason = "" }, by = 1) => void lost.push([`${metric} ${reason}`, by]) },
  });
  for (let at = 0; at < limits.scimNotesWaitingMax + 7; at += 1) notes.add({ scope, status: 200 });
  expect(calls).toEqual([limits.scimNotesPerCallMax]);
  hung.resolve();
  await notes.close();
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(limits.scimNotesWaitingMax);
  expect(lost).toEqual([["scimLinesLost full", 7]]);
});
