/** Requests as they are answered, as events of the server: from all gateways, filtered, without anything personal unless the key may see it. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { callHeddle } from "../client.ts";
import { apiKey, declared, workspace } from "../declaration.ts";
import { demoKey, testShape } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const viewer = "a-key-that-may-only-look";
const trusted = "a-key-that-may-see-bodies";
const tracker = "a-key-that-may-only-track";
const stranger = "a-key-of-another-workspace";
const heddle = heddleSuite({
  apply: declared({
    keys: [
      apiKey("viewer", viewer, ["console.view"]),
      apiKey("trusted", trusted, ["console.view", "console.bodies"]),
      apiKey("tracker", tracker, ["users.track"]),
    ],
    others: [workspace("other", [apiKey("all", stranger)])],
  }),
});

interface Request {
  readonly request_id: string;
  readonly status: number;
  readonly reason?: string;
  readonly objects: readonly { verdict: string; field?: string; name?: string; why?: string }[];
  readonly personal?: { readonly body?: string; readonly who: readonly unknown[] };
}

interface Watching {
  readonly status: number;
  readonly headers: Headers;
  text(): string;
  requests(): readonly Request[];
  find(requestId: string): Request | undefined;
  lastId(): string;
  ended: Promise<void>;
  stop(): void;
}

async function watch(
  { path = "/console/live", headers = {}, key = viewer, url = heddle.heddle.url }: {
    path?: string;
    headers?: Record<string, string>;
    key?: string;
    url?: string;
  } = {},
): Promise<Watching> {
  const stop = new AbortController();
  const authorization: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(url + path, { headers: { accept: "text/event-stream", ...authorization, ...headers }, signal: stop.signal });
  let text = "";
  async function read(): Promise<void> {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  }
  function blocks(): string[] {
    return text.split("\n\n").slice(0, -1).filter((block) => block.includes("event: request\n"));
  }
  const watching: Watching = {
    status: answer.status,
    headers: answer.headers,
    ended: read().catch(() => {}),
    text: () => text,
    requests: () => blocks().map((block) => JSON.parse(block.slice(block.indexOf("data: ") + "data: ".length)) as Request),
    find: (requestId) => watching.requests().find((request) => request.request_id === requestId),
    lastId: () => /id: (\S+)/.exec(blocks().at(-1) ?? "")?.[1] ?? "",
    stop: () => stop.abort(),
  };
  if (answer.status === 200) await expect.poll(() => text).toContain("event: open");
  return watching;
}

async function track(body: object, requestId: string, url = heddle.heddle.url): Promise<void> {
  await callHeddle(url, { method: "POST", path: "/users/track", body, key: demoKey, headers: { "x-request-id": requestId } });
}

test("a view shows requests as they are answered, of its own workspace alone", async () => {
  const id = fresh();
  const own = await watch();
  const other = await watch({ key: stranger });
  expect([own.headers.get("content-type"), own.headers.get("content-encoding"), own.headers.get("cache-control")]).toEqual([
    "text/event-stream; charset=utf-8",
    null,
    "no-store, no-transform",
  ]);
  await track({ events: [{ external_id: id, name: "signed up", time: "2026-01-02T03:04:05Z" }] }, `good-${id}`);
  await track(
    { attributes: [{ external_id: id, subscription_groups: [{ subscription_group_id: "none", subscription_state: "x" }] }] },
    `partly-${id}`,
  );
  await track({ events: [{ external_id: id, name: "late", time: "never" }] }, `bad-${id}`);
  await expect.poll(() => own.find(`bad-${id}`)).toMatchObject({
    status: 400,
    reason: "NOTHING_VALID",
    objects: [{ verdict: "refused", name: "late" }],
  });
  expect(own.find(`good-${id}`)).toMatchObject({ status: 201, objects: [{ verdict: "taken", name: "signed up" }], events: ["signed up"] });
  await expect.poll(() => own.text()).toContain("event: rate");
  expect(other.requests()).toEqual([]);
  own.stop();
  other.stop();
});

test("nothing in it is personal but for a key that may see bodies, and then only as it comes", async () => {
  const id = fresh("person");
  const open = await watch();
  const whole = await watch({ path: "/console/live/bodies", key: trusted });
  await track({ attributes: [{ external_id: id, email: `${id}@example.com`, first_name: id, phone: "none" }] }, `named-${fresh()}`);
  await expect.poll(() => whole.requests().at(-1)?.personal?.who).toEqual([{ external_id: id }]);
  expect(whole.requests().at(-1)?.personal?.body).toContain(`${id}@example.com`);
  await expect.poll(() => open.requests().length).toBeGreaterThan(0);
  expect(open.text()).not.toContain(id);
  open.stop();
  whole.stop();
  const again = await watch({ path: "/console/live/bodies", key: trusted });
  // Of several gateways this one may have none of before
  await track({ attributes: [{ external_id: fresh() }] }, `again-${fresh()}`);
  await expect.poll(() => again.requests().length).toBeGreaterThan(0);
  expect(again.text()).not.toContain(id);
  again.stop();
  const { text } = await heddle.request("GET", "/console/live/bodies", undefined, { key: trusted });
  expect(text).not.toContain(id);
});

test("it takes the permissions of its routes, and `*` holds no bodies", async () => {
  expect((await watch({ key: tracker })).status).toBe(403);
  expect((await watch({ key: "" })).status).toBe(401);
  expect((await watch({ key: demoKey, path: "/console/live/bodies" })).status).toBe(403);
  expect((await watch({ path: "/console/live?status=often" })).status).toBe(400);
  const head = await fetch(`${heddle.heddle.url}/console/live`, {
    method: "HEAD",
    headers: { accept: "text/event-stream", authorization: `Bearer ${viewer}` },
  });
  expect(head.status).toBe(200);
});

test("filters let through what they name", async () => {
  const id = fresh();
  const refused = await watch({ path: "/console/live?status=refused&reason=NOTHING_VALID" });
  const named = await watch({ path: `/console/live?event=${id}&route=/users/track` });
  await track({ events: [{ external_id: id, name: id, time: "2026-01-02T03:04:05Z" }] }, `named-${id}`);
  await track({ events: [{ external_id: id, name: "another", time: "2026-01-02T03:04:05Z" }] }, `other-${id}`);
  await track({ events: [{ external_id: id, name: "another", time: "never" }] }, `refused-${id}`);
  await expect.poll(() => refused.requests().map((request) => request.request_id).filter((name) => name.endsWith(id))).toEqual([
    `refused-${id}`,
  ]);
  await expect.poll(() => named.requests().map((request) => request.request_id)).toEqual([`named-${id}`]);
  refused.stop();
  named.stop();
});

test("a view that comes back has what it missed, and programs that read no streams have it as JSON", async () => {
  const id = fresh();
  const first = await watch();
  await track({ attributes: [{ external_id: id }] }, `before-${id}`);
  await expect.poll(() => first.find(`before-${id}`)).toBeDefined();
  first.stop();
  await track({ attributes: [{ external_id: id }] }, `between-${id}`);
  const again = await watch({ headers: { "last-event-id": first.lastId() } });
  await expect.poll(() => again.find(`between-${id}`)).toBeDefined();
  expect(again.find(`before-${id}`)).toBeUndefined();
  again.stop();
  const { body } = await heddle.request("GET", "/console/live", undefined, { key: viewer });
  expect((body as unknown as { requests: Request[] }).requests.map((request) => request.request_id)).toContain(`between-${id}`);
});

test("it ends when its key is revoked, and when its session is signed out", async () => {
  const made = (await heddle.request("POST", "/console/keys", { name: fresh("key"), permissions: ["console.view"] })).body as unknown as {
    key: { id: string };
    secret: string;
  };
  await expect.poll(async () => (await heddle.request("GET", "/console/session", undefined, { key: made.secret })).status).toBe(200);
  const opened = await heddle.request("POST", "/console/session", { secure: false }, { key: made.secret });
  const cookie = (opened.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = { cookie, "x-heddle-console": "1", "sec-fetch-site": "same-origin" };
  await expect.poll(async () => (await heddle.request("GET", "/console/session", undefined, { key: undefined, headers: page })).status)
    .toBe(200);
  const [byKey, bySession] = [await watch({ key: made.secret }), await watch({ key: "", headers: page })];
  await heddle.request("POST", "/console/session/end-all", { secure: false }, { key: undefined, headers: page });
  await bySession.ended;
  expect(bySession.text()).toContain('event: end\ndata: {"reason":"over"}');
  expect(byKey.text()).not.toContain("event: end");
  await heddle.request("POST", "/console/keys/revoke", { id: made.key.id });
  await byKey.ended;
  expect(byKey.text()).toContain('event: end\ndata: {"reason":"over"}');
});

test("under load it is a sample, and says of how many", async () => {
  const view = await watch();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 60 }, () => track({ attributes: [{ external_id: "crowd" }] }, fresh("crowd"))));
  }
  const rates = () =>
    [...view.text().matchAll(/event: rate\ndata: (.*)/g)].map(([, data = ""]) => JSON.parse(data) as { seen: number; shown: number });
  await expect.poll(() => rates().reduce((sum, { seen }) => sum + seen, 0)).toBeGreaterThanOrEqual(300);
  const shown = rates().reduce((sum, rate) => sum + rate.shown, 0);
  // Those of the second that no rate event reports yet are there too
  expect(view.requests().length).toBeGreaterThanOrEqual(shown);
  expect(rates().every((rate) => rate.shown <= rate.seen)).toBe(true);
  view.stop();
});

test("a view that reads nothing holds up nobody", async () => {
  const { hostname, port } = new URL(heddle.heddle.url);
  const sleeper = connect(Number(port), hostname);
  sleeper.on("error", () => {});
  sleeper.pause();
  sleeper.write(`GET /console/live HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${viewer}\r\n\r\n`);
  const awake = await watch();
  const id = fresh();
  // A single one may not be among the sample
  await expect.poll(async () => {
    await track({ attributes: [{ external_id: id }] }, `awake-${id}`);
    return awake.find(`awake-${id}`);
  }).toBeDefined();
  sleeper.destroy();
  awake.stop();
});

test.skipIf(testShape !== "mesh")("a view shows what every gateway answers, and is told of how many", async () => {
  const second = await heddle.heddle.startGateway();
  const id = fresh();
  const view = await watch();
  // The other one hears of it behind the answer
  await expect.poll(async () => {
    await track({ attributes: [{ external_id: id }] }, `there-${id}`, second.url);
    return view.find(`there-${id}`);
  }).toBeDefined();
  await expect.poll(() => view.text()).toContain('"gateways":2');
  const remote = await watch({ url: second.url });
  second.kill("SIGTERM");
  await remote.ended;
  expect(remote.text()).toContain('event: end\ndata: {"reason":"closing"}');
  expect(await second.ended).toBe(0);
  view.stop();
});

test("a server that ends closes its views", async () => {
  const view = await watch();
  await heddle.heddle.restart();
  await view.ended;
  expect(view.text()).toContain('event: end\ndata: {"reason":"closing"}');
});
