/** `new Heddle({ key })`: its methods, and what it needs. */
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { positionToToken } from "../platform/intake/position.ts";
import { AuthenticationError, Heddle, type HeddleOptions, InvalidRequestError, isRefused, TimeoutError } from "./index.ts";
import { drop, events, json, type PlannedServer, startPlannedServer } from "./planned-server.fixture.ts";

let server: PlannedServer;
beforeEach(async () => {
  server = await startPlannedServer();
});
afterEach(() => server.close().catch(() => {}));

/** Waits between attempts are over at once. */
function open(options: Partial<HeddleOptions> = {}): Heddle {
  const world = { wait: (_: number, signal: AbortSignal | undefined) => Promise.resolve(signal?.throwIfAborted()) };
  return new Heddle({ url: server.url, key: "a-key", world, ...options });
}

test("a method takes body, path and query as one object and gives the answer's body", async () => {
  const heddle = open();
  server.steps = [
    json(201, { attributes_processed: 1, message: "success" }),
    json(200, { job_id: "j", message: "success" }),
    json(200, {}),
  ];
  expect(await heddle.trackUsers({ attributes: [{ external_id: "ann" }] })).toEqual({ attributes_processed: 1, message: "success" });
  expect(await heddle.getMergeStatus({ id: "a/b" })).toMatchObject({ job_id: "j" });
  await heddle.getUserGroups({ external_id: ["ann", "ben"], limit: 5 });
  await heddle.updatePreferenceCenter({ id: "c-1", preference_center_title: "Two" } as never);
  await heddle.getDashboardUser({ id: "d" }, { query: {}, headers: { "If-None-Match": "x" } } as never);
  expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", "/users/track", '{"attributes":[{"external_id":"ann"}]}'],
    ["GET", "/users/merge/status/a%2Fb", ""],
    ["GET", "/subscription/user/status?external_id=ann&external_id=ben&limit=5", ""],
    ["PUT", "/preference_center/v1/c-1", '{"preference_center_title":"Two"}'],
    ["GET", "/scim/v2/Users/d", ""],
  ]);
});

test("a method can be replaced, as tests of programs do", async () => {
  const heddle = open();
  const replaced = vi.spyOn(heddle, "trackUsers").mockResolvedValue({ message: "success" });
  expect(await heddle.trackUsers({})).toEqual({ message: "success" });
  expect(replaced).toHaveBeenCalledOnce();
  Object.assign(heddle, { exportUsers: () => Promise.resolve({ users: [] }) });
  expect(await heddle.exportUsers({})).toEqual({ users: [] });
  expect(server.seen).toEqual([]);
});

test("a method throws the class of the status, with the reasons of its route and its entries", async () => {
  const entry = { type: "'name' is required", input_array: "events", index: 0 };
  server.steps = [
    json(400, { message: "no", errors: [entry] }, { "x-heddle-reason": "NOTHING_VALID", "x-request-id": "r-1" }),
    json(401, { message: "who" }, { "x-heddle-reason": "KEY_INVALID" }),
  ];
  const error: unknown = await open().trackUsers(events(0, 1)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  if (!isRefused("trackUsers", error)) throw error;
  const reason: "NOTHING_VALID" | undefined = error.reason === "NOTHING_VALID" ? error.reason : undefined;
  expect([reason, error.requestId, error.entries]).toEqual(["NOTHING_VALID", "r-1", [entry]]);
  await expect(open().exportUsers({ external_ids: ["ann"] })).rejects.toBeInstanceOf(AuthenticationError);
});

test("reads ask for the furthest of writes that were under way together", async () => {
  const heddle = open();
  const [older, newer] = [9, 10].map((sequence) => positionToToken({ partition: 0, sequence }));
  let answerOlder = (): void => {};
  const late = new Promise<void>((resolve) => {
    answerOlder = resolve;
  });
  server.steps = [
    (response) => void late.then(() => json(201, {}, { "x-heddle-position": older ?? "" })(response)),
    json(201, {}, { "x-heddle-position": newer ?? "" }),
  ];
  const first = heddle.trackUsers(events(0, 1));
  await vi.waitFor(() => expect(server.seen).toHaveLength(1));
  await heddle.trackUsers(events(1, 2));
  answerOlder();
  await first;
  await heddle.exportUsers({ external_ids: ["u-1"] });
  expect(server.seen[2]?.headers["x-heddle-position"]).toBe(newer);
});

test("a call whose repeat is refused says whether an earlier attempt may have been done", async () => {
  const refused = json(404, { message: "no" });
  for (const [first, mayBeDone] of [[drop, true], [json(500, {}), true], [json(429, {}), false]] as const) {
    server.steps = [first, refused];
    await expect(open().trackUsers(events(0, 1))).rejects.toMatchObject({ status: 404, mayBeDone });
  }
});

test("an attempt that takes too long is a TimeoutError, an aborted call the reason of its signal", async () => {
  server.steps = [() => {}];
  await expect(open({ attemptMs: 50, deadlineMs: 0 }).isAlive()).rejects.toBeInstanceOf(TimeoutError);
  await expect(open().isAlive({}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});

test("the README links nothing by path: the package has neither the sources nor the documents", () => {
  const links = [...readFileSync(join(import.meta.dirname, "README.md"), "utf8").matchAll(/\]\(([^)]*)\)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
});

test("the client needs nothing but the web's own names, and has at most 15 KB compressed", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/[.](test|fixture)[.]ts$/.test(name));
  const sources = files.map((name) => stripTypeScriptTypes(readFileSync(join(import.meta.dirname, name), "utf8"), { mode: "transform" }));
  expect(files.length).toBeGreaterThan(5);
  for (const source of sources) expect(source).not.toMatch(/from "(?![.]{1,2}\/)|\b(process|Buffer|require|window|document)\b[.(]/);
  expect(gzipSync(sources.join("\n")).length).toBeLessThan(15 * 1024);
});
