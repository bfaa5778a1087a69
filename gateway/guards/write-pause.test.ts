/** Writes while a backup is made: refused before anything is spent or called, whatever route they come by; reads go on. */
import { afterEach, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { ExportUsersResponseSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway, stubKey, stubToken } from "../../test/gateway-stub.ts";

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

test("reads go on", async () => {
  started = await startStubGateway({
    writesPaused: true,
    profile: { exportUsers: async () => create(ExportUsersResponseSchema, {}) },
  });
  expect((await started.post("/users/export/ids", { external_ids: ["ann"] })).status).toBe(201);
  expect((await fetch(`${started.url}/livez`)).status).toBe(200);
});
