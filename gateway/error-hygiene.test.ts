/** Whatever fails behind the gateway, callers learn nothing of the machinery: every route, every kind of failure. */
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { Refusal } from "../platform/refusal.ts";
import { exampleRequest } from "../test/example-request.ts";
import { startStubGateway, type StubGateway } from "../test/gateway-stub.ts";
import { entries } from "./openapi/entries.ts";

const secret = "password=hunter2 at node-7.internal:9042 /var/lib/heddle";
// With its colon: ids and tags of answers may hold the digits
const hidden = ["hunter2", "node-7", ":9042", "/var/lib", "node_modules", ".ts:", "    at ", "Error:"];

let gateway: StubGateway | undefined;
afterEach(async () => {
  await gateway?.gateway.close();
  gateway = undefined;
});

/** A part whose every call fails, and how often one was made. */
function failing(failure: () => unknown) {
  const calls = { count: 0 };
  const part = new Proxy({}, {
    get: () => () => {
      calls.count += 1;
      return Promise.reject(failure());
    },
  });
  return { part, calls };
}

const failures: readonly (readonly [what: string, failure: () => unknown, statuses: readonly number[]])[] = [
  ["a fault", () => new Error(secret, { cause: new Error(secret) }), [500]],
  ["something that is no error", () => secret, [500]],
  ["a store that is away", () => new Refusal("STORE_UNAVAILABLE", undefined, { retryAfterSeconds: 1, cause: new Error(secret) }), [503]],
  ["a write of which nobody knows", () => new Refusal("OUTCOME_UNKNOWN", undefined, { cause: new Error(secret) }), [503]],
  ["a part that is not told about", () => new Refusal("CALLER_NOT_ALLOWED", undefined, { cause: new Error(secret) }), [500]],
  ["an error of the RPC library", () => new ConnectError(secret, Code.Internal), [500]],
];

test.each(failures)("%s behind the gateway shows nothing of itself on any route", async (_what, failure, statuses) => {
  const { part, calls } = failing(failure);
  gateway = await startStubGateway({
    profile: part,
    subscription: part,
    messagingStatus: part,
    scim: part,
    content: part,
    translations: part,
  });
  let reached = 0;
  for (const entry of entries) {
    const isScim = entry.route.includes(" /scim/");
    for (const example of entry.examples.slice(0, 1)) {
      const before = calls.count;
      const answer = await fetch(...exampleRequest(gateway.url, entry, example));
      const text = await answer.text();
      const shown = [text, ...answer.headers.values()].join("\n");
      if (!answer.headers.get("content-type")?.startsWith("text/html")) {
        expect([entry.route, hidden.filter((part) => shown.includes(part))]).toEqual([entry.route, []]);
      } else expect([entry.route, shown.includes("hunter2")]).toEqual([entry.route, false]);
      // A note of a SCIM request is a call too, and not one that the answer waits for
      if (calls.count === before || answer.status < 400 || (isScim && answer.status < 500)) continue;
      reached += 1;
      expect([entry.route, statuses.includes(answer.status)]).toEqual([entry.route, true]);
    }
  }
  expect(reached).toBeGreaterThan(20);
});
