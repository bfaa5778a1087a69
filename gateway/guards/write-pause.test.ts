/** Writes while a backup is made: refused before anything is spent or called, whatever route they come by; reads go on. */
import { afterEach, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { ExportUsersResponseSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { KeyRow } from "../access/rows.ts";
import { limits } from "../../platform/limits.ts";
import { openMetrics } from "../../platform/telemetry/metrics.ts";
import { noTelemetry } from "../../platform/telemetry/telemetry.ts";
import { startStubGateway, type StubGateway, stubHolder, stubKey, stubToken } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
});

test.each([
  ["POST", "/users/track", stubKey],
  ["POST", "/subscription/status/set", stubKey],
  ["PUT", "/preference_center/v1/an-id", stubKey],
  ["POST", "/unsubscribe/a-token", ""],
  ["POST", "/scim/v2/Users", stubToken],
  ["DELETE", "/scim/v2/Users/u-1", stubToken],
])("%s %s is told to come again, and spends nothing", async (method, path, secret) => {
  let asked = 0;
  started = await startStubGateway({ writesPaused: true, asked: () => (asked += 1) });
  const answer = await fetch(started.url + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, "x-request-origin": "okta", "content-type": "application/json" },
    ...(method === "DELETE" ? {} : { body: "{}" }),
  });
  expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([
    503,
    "5",
    expect.stringContaining("backup is made"),
  ]);
  expect(asked).toBe(0);
});

test.each([
  ["POST", "/users/track", stubKey, "application/json"],
  ["PUT", "/preference_center/v1/an-id", stubKey, "application/json"],
  ["POST", "/unsubscribe/a-token", "", "application/json"],
  ["POST", "/preferences/a-token", "", "application/x-www-form-urlencoded"],
  ["POST", "/scim/v2/Users", stubToken, "application/json"],
])("%s %s is told to come again where writes were paused while its body came", async (method, path, secret, type) => {
  let looks = 0;
  started = await startStubGateway({
    get writesPaused() {
      looks += 1;
      return looks > 1;
    },
  });
  const answer = await fetch(started.url + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, "x-request-origin": "okta", "content-type": type },
    body: "{}",
  });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
});

test("after its body a write waits for what a gateway that rested reads of who may call", async () => {
  let reads = 0;
  const awaitCurrent = async () => void (reads += 1);
  started = await startStubGateway({ access: { awaitCurrent, writesPaused: () => reads > 1 } });
  expect((await started.post("/users/track", {})).status).toBe(503);
});

test("a backup waits longer than a gateway that rests needs to hear of its pause", () => {
  expect(limits.accessRestMs + limits.accessKeyWaitMs).toBeLessThan(limits.writePauseHeardMs);
});

test("a person signs in and out while writes are paused, unless the key opens its first session; the audit log waits", async () => {
  const key = { ...stubHolder().key, digest: "", sessionRoot: Buffer.alloc(32).toString("base64url") };
  const notes: unknown[] = [];
  let keys: readonly KeyRow[] = [key];
  started = await startStubGateway({
    writesPaused: true,
    access: {
      rows: () => ({ companies: [], workspaces: [], keys, tokens: [], declared: [] }),
      transact: async (plan) => plan({ companies: [], workspaces: [], keys, tokens: [], declared: [] }, 0).result,
      actions: { note: async (...note) => void notes.push(note), list: async () => [] },
    },
  });
  expect((await started.post("/console/session", {})).status).toBe(201);
  expect((await started.post("/console/session/end", {})).status).toBe(201);
  expect((await started.post("/console/session/end-all", {})).status).toBe(503);
  expect((await started.post("/console/keys", { name: "a", permissions: ["*"] })).status).toBe(503);
  keys = [{ ...stubHolder().key, digest: "" }];
  expect((await started.post("/console/session", {})).status).toBe(503);
  expect(notes).toEqual([]);
});

test("reads go on", async () => {
  started = await startStubGateway({
    writesPaused: true,
    profile: { exportUsers: async () => create(ExportUsersResponseSchema, {}) },
  });
  expect((await started.post("/users/export/ids", { external_ids: ["ann"] })).status).toBe(201);
  expect((await fetch(`${started.url}/livez`)).status).toBe(200);
});

test.each([[true, 1], [false, 0]])("the metrics say whether writes are paused (%s)", async (writesPaused, value) => {
  const metrics = await openMetrics();
  started = await startStubGateway({ writesPaused, telemetry: { ...noTelemetry, metrics } });
  expect(await metrics.text()).toContain(`\nheddle_writes_paused ${value}\n`);
});
