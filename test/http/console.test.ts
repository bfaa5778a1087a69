/** What the console gets: overview and users of the key's own workspace, behind a permission of its own. */
import { expect, test } from "vitest";
import { apiKey, declared, operatorPermissions, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const viewer = "a-key-that-may-only-look";
const operator = "a-key-that-may-see-the-whole";
const tracker = "a-key-that-may-only-track";
const stranger = "a-key-of-another-workspace";
const heddle = heddleSuite({
  apply: declared({
    keys: [
      apiKey("viewer", viewer, ["console.view"]),
      apiKey("operator", operator, operatorPermissions),
      apiKey("tracker", tracker, ["users.track"]),
    ],
    others: [workspace("other", [apiKey("all", stranger)])],
  }),
});

async function inspect(body: unknown, key = viewer): Promise<Inspected> {
  const answer = await heddle.request("POST", "/console/users", body, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Inspected;
}

interface Inspected {
  readonly users: readonly {
    readonly platform_id: string;
    readonly profile: { external_id?: string };
    readonly days: readonly object[];
    readonly undone_merges: readonly object[];
    readonly consent_chains?: { checked: number; damage: readonly object[] };
    readonly fields: readonly {
      name: string;
      custom: boolean;
      value: unknown;
      set_by?: { request_id?: string; actor?: string; what?: string };
    }[];
    readonly merges: readonly {
      merge_id: string;
      asked_by?: { request_id?: string };
      undo?: { job_id: string; index: number };
      sides?: { source: object; target: object };
    }[];
    readonly consent?: readonly { what: string; after: string | null; request_id: string }[];
  }[];
}

function track(requestId: string, attributes: object): ReturnType<typeof heddle.request> {
  return heddle.request("POST", "/users/track", { attributes: [attributes] }, { headers: { "x-request-id": requestId } });
}

test("each field says which request set it, also through a merge", async () => {
  // In the mesh who asked is noted beside a step, which is not done again for it: then another user shows it
  let seen: Awaited<ReturnType<typeof mergedUser>> | undefined;
  await expect.poll(async () => (seen = await mergedUser()).setBy).toEqual(["first", "first", "second", "other"]);
  expect(seen?.plan).toMatchObject({ custom: true, value: "pro", set_by: { what: "track" } });
  expect(seen?.mergedBy).toBe("merge");
});

/** A new user whose fields were set by requests `first` and `second`, and one of `other` merged into it by `merge`. */
async function mergedUser() {
  const id = fresh();
  await track(`first-${id}`, { external_id: id, first_name: "Ann", plan: "free" });
  await track(`second-${id}`, { external_id: id, plan: "pro" });
  await track(`other-${id}`, { external_id: `${id}-2`, country: "DE" });
  const merge = { merge_updates: [{ identifier_to_merge: { external_id: `${id}-2` }, identifier_to_keep: { external_id: id } }] };
  await heddle.request("POST", "/users/merge", merge, { headers: { "x-request-id": `merge-${id}` } });
  await expect.poll(async () => (await inspect({ external_id: id })).users[0]?.merges.length).toBe(1);
  const [user] = (await inspect({ external_id: id })).users;
  const fieldOf = (wanted: string) => user?.fields.find(({ name }) => name === wanted);
  const shown = (requestId = "") => requestId.endsWith(`-${id}`) ? requestId.slice(0, -id.length - 1) : requestId;
  return {
    setBy: ["external_id", "first_name", "plan", "country"].map((name) => shown(fieldOf(name)?.set_by?.request_id)),
    plan: fieldOf("plan"),
    mergedBy: shown(user?.merges[0]?.asked_by?.request_id),
  };
}

test("the history of consent is that of the ledger", async () => {
  const id = fresh();
  const email = `${id}@example.com`;
  await track(`first-${id}`, { external_id: id, email });
  const body = { email, subscription_state: "unsubscribed" };
  await heddle.request("POST", "/email/status", body, { headers: { "x-request-id": `left-${id}` } });
  await expect.poll(async () => (await inspect({ email })).users[0]?.consent?.map(({ request_id: by }) => by)).toContain(`left-${id}`);
});

test("the chains of a person's consent are checked, and each entry says by the name of which key it was", async () => {
  const id = fresh();
  await track(`first-${id}`, { external_id: id, email: `${id}@example.com`, email_subscribe: "opted_in" });
  await expect.poll(async () => (await inspect({ external_id: id })).users[0]?.consent).toMatchObject([
    { index: 0, what: "email_status", after: "opted_in", actor_name: "all", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  // One of the person, one of the address
  expect((await inspect({ external_id: id })).users[0]?.consent_chains).toEqual({ checked: 2, damage: [] });
});

test("what happened on each day is counted over all events and products", async () => {
  const id = fresh();
  const [today, yesterday] = [0, 1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString());
  await heddle.request("POST", "/users/track", {
    events: [today, today, yesterday].map((time, at) => ({ external_id: id, name: `n${at}`, time })),
    purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 1, quantity: 3, time: today }],
  });
  const dayOf = (time = "") => time.slice(0, "2026-01-01".length);
  await expect.poll(async () => (await inspect({ external_id: id })).users[0]?.days).toEqual([
    { date: dayOf(yesterday), events: 1, purchases: 0 },
    { date: dayOf(today), events: 2, purchases: 3 },
  ]);
});

test("a merge shows both sides, and once it is taken back both tell of it", async () => {
  const id = fresh();
  await track(`kept-${id}`, { external_id: id, country: "DE" });
  await track(`taken-${id}`, { external_id: `${id}-2`, first_name: "Kim" });
  await heddle.merge(`${id}-2`, id);
  await expect.poll(async () => (await inspect({ external_id: id })).users[0]?.merges[0]?.undo?.index).toBe(0);
  const [target] = (await inspect({ external_id: id })).users;
  const [note] = target?.merges ?? [];
  expect(note?.sides).toBeUndefined();
  const [asked] = (await inspect({ external_id: id, sides_of: note?.merge_id })).users;
  expect(asked?.merges[0]?.sides).toMatchObject({
    source: { external_id: `${id}-2`, first_name: "Kim" },
    target: { external_id: id, country: "DE" },
  });
  const undone = await heddle.request("POST", "/users/merge/undo", { job_id: note?.undo?.job_id, index: 0 }, {
    headers: { "x-request-id": `undone-${id}` },
  });
  expect(undone.status, undone.text).toBe(201);
  await expect.poll(async () => (await inspect({ external_id: `${id}-2` })).users[0]?.undone_merges).toMatchObject([
    { merge_id: note?.merge_id, other_platform_id: target?.platform_id, was: "source" },
  ]);
  const [after] = (await inspect({ external_id: id })).users;
  expect(after?.undone_merges).toMatchObject([{ merge_id: note?.merge_id, was: "target" }]);
  expect(after?.merges).toEqual([]);
});

interface Searched {
  readonly found: readonly { by: string; name: string; count: number; users: { platform_id: string; external_id?: string }[] }[];
  readonly next_page_token?: string;
}

/** `position`: of the write that it has to see. */
async function search(body: object, key = viewer, position?: string | null): Promise<Searched> {
  const headers: Record<string, string> = position ? { "x-heddle-position": position } : {};
  const answer = await heddle.request("POST", "/console/people/search", body, { key, headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Searched;
}

test("people are found by how a name of theirs begins, whatever the name, page by page", async () => {
  const id = fresh();
  const ids = Array.from({ length: 120 }, (_, at) => `${id}/${String(at).padStart(3, "0")}`);
  const attributes = ids.map((externalId, at) => ({ external_id: externalId, email: `${id}.${at}@Example.com` }));
  for (let at = 0; at < ids.length; at += 60) {
    await heddle.request("POST", "/users/track", { attributes: attributes.slice(at, at + 60) });
  }
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: `${id}-phone`, phone: "+4915112345678" }] });
  const alias = { external_id: ids[0], alias_label: "crm", alias_name: `alias ${id}` };
  await heddle.request("POST", "/users/alias/new", { user_aliases: [alias] });
  // It stands in the log last; a search shows what was applied
  await expect.poll(async () => (await search({ by: "user_alias", alias_label: "crm", starts_with: "alias" })).found, { timeout: 30_000 })
    .toMatchObject([{ name: `alias ${id}`, users: [{ external_id: ids[0] }] }]);
  const seen: string[] = [];
  for (let token: string | undefined = ""; token !== undefined;) {
    const page: Searched = await search({ by: "external_id", starts_with: `${id}/`, ...(token !== "" && { page_token: token }) });
    expect(page.found.length).toBeLessThanOrEqual(50);
    seen.push(...page.found.map(({ name, users }) => (expect(users[0]?.external_id).toBe(name), name)));
    token = page.next_page_token;
  }
  expect(seen).toEqual(ids);
  expect((await search({ by: "email", starts_with: ` ${id.toUpperCase()}.11` })).found.map(({ name }) => name)).toEqual(
    [".11@", ".110@", ".111@", ".112@", ".113@", ".114@", ".115@", ".116@", ".117@", ".118@", ".119@"].map((end) =>
      `${id}${end}example.com`
    ).toSorted(),
  );
  expect((await search({ by: "phone", starts_with: "49 151-123" })).found).toMatchObject([{ name: "+4915112345678", count: 1 }]);
  const any = (await search({ starts_with: id })).found;
  expect(any.filter(({ by }) => by === "external_id")).toHaveLength(10);
  expect(any.filter(({ by }) => by === "email")).toHaveLength(10);
  expect((await search({ starts_with: id }, stranger)).found).toEqual([]);
  for (const body of [{}, { starts_with: "" }, { starts_with: "a", by: "name" }, { by: "user_alias", starts_with: "a" }]) {
    expect((await heddle.request("POST", "/console/people/search", body, { key: viewer })).status).toBe(400);
  }
});

test("a search follows a merge, its undo, a change of email and a delete", async () => {
  const id = fresh();
  const [kept, taken] = [`${id}-kept`, `${id}-taken`];
  await track(`a-${id}`, { external_id: kept, email: `${id}.old@example.com` });
  const second = await track(`b-${id}`, { external_id: taken });
  const names = async (by: string, { headers }: { headers?: Headers } = {}) => {
    return (await search({ by, starts_with: id }, viewer, headers?.get("x-heddle-position"))).found.map(({ name }) => name);
  };
  expect(await names("external_id", second)).toEqual([kept, taken]);
  await heddle.merge(taken, kept);
  await expect.poll(() => names("external_id")).toEqual([kept]);
  const [note] = (await inspect({ external_id: kept })).users[0]?.merges ?? [];
  await heddle.request("POST", "/users/merge/undo", { job_id: note?.undo?.job_id, index: 0 });
  await expect.poll(() => names("external_id")).toEqual([kept, taken]);
  const changed = await track(`c-${id}`, { external_id: kept, email: `${id}.new@example.com` });
  expect(await names("email", changed)).toEqual([`${id}.new@example.com`]);
  await heddle.request("POST", "/users/delete", { external_ids: [kept] });
  await expect.poll(() => names("external_id")).toEqual([taken]);
  expect(await names("email")).toEqual([]);
});

test("provenance outlives a restart", async () => {
  const id = fresh();
  const setBy = async () => (await inspect({ external_id: id })).users[0]?.fields.find(({ name }) => name === "a")?.set_by;
  await track(`kept-${id}`, { external_id: id, a: 1 });
  // Kept beside the step (decision 21), so that it may be seen a moment after the field
  await expect.poll(setBy).toMatchObject({ request_id: `kept-${id}`, what: "track" });
  await heddle.heddle.restart();
  expect(await setBy()).toMatchObject({ request_id: `kept-${id}`, what: "track" });
});

test("nobody is an empty list; two names or none are refused", async () => {
  expect((await inspect({ external_id: fresh() })).users).toEqual([]);
  for (const body of [{}, { external_id: "a", email: "a@example.com" }, { email: "none" }]) {
    expect((await heddle.request("POST", "/console/users", body, { key: viewer })).status).toBe(400);
  }
});

test("it takes the console's permission, and shows nothing of another workspace", async () => {
  const id = fresh();
  await track(`mine-${id}`, { external_id: id, a: 1 });
  for (const [method, path] of [["GET", "/console/overview"], ["POST", "/console/users"]] as const) {
    const body = method === "POST" ? { external_id: id } : undefined;
    expect((await heddle.request(method, path, body, { key: tracker })).status).toBe(403);
    expect((await heddle.request(method, path, body, { key: undefined })).status).toBe(401);
  }
  expect((await heddle.request("POST", "/users/track", {}, { key: viewer })).status).toBe(403);
  // Of operators alone: `*` is of the own workspace
  expect((await heddle.request("GET", "/console/rejected", undefined, { key: operator })).status).toBe(200);
  expect((await heddle.request("GET", "/console/rejected", undefined, { key: demoKey })).status).toBe(403);
  expect((await heddle.request("POST", "/console/rejected/admit", { external_id: id }, { key: demoKey })).status).toBe(403);
  expect((await inspect({ external_id: id }, stranger)).users).toEqual([]);
  // Of several gateways each reports what it answered itself; they may be asked in turn, so an odd number of requests meets all
  await expect.poll(async () => {
    await heddle.request("POST", "/users/track", { attributes: "none" }, { headers: { "x-request-id": `wrong-${id}` } });
    const texts = [await overviewText(viewer), await overviewText(viewer)];
    return texts.join("");
  }).toContain(`wrong-${id}`);
  for (let asked = 0; asked < 2; asked += 1) expect(await overviewText(stranger)).not.toContain(`wrong-${id}`);
});

async function overviewText(key: string): Promise<string> {
  return (await heddle.request("GET", "/console/overview", undefined, { key })).text;
}

test("the overview tells throughput and limits, and to operators lanes too", async () => {
  interface Overview {
    ready: boolean;
    seconds: { requests: number }[];
    routes: { route: string; requests: number }[];
    lanes: { lane: string }[];
    limits: { name: string; capacity: number; remaining: number }[];
  }
  let overview: Overview | undefined;
  await expect.poll(async () => {
    await track("counted", { external_id: fresh(), a: 1 });
    await overviewText(operator);
    overview = (await heddle.request("GET", "/console/overview", undefined, { key: operator })).body as unknown as Overview;
    return overview.routes.find(({ route }) => route === "/users/track")?.requests ?? 0;
  }).toBeGreaterThan(0);
  if (overview === undefined) throw new Error("Expected an overview");
  expect(overview.ready).toBe(true);
  expect(overview.seconds).toHaveLength(60);
  const lanes = overview.lanes.map(({ lane }) => lane);
  // A partition of the log is a lane; how many there are is a setting of the mesh
  expect(lanes.filter((lane) => !/^intake-\d+$/.test(lane))).toEqual(["subscription", "messaging-status"]);
  expect(lanes).toContain("intake-0");
  expect(overview.limits.find(({ name }) => name === "users_track")?.capacity).toBe(3_000);
  expect(overview.limits.find(({ name }) => name === "console")?.remaining).toBeLessThan(600);
});

test("what is of all workspaces is shown to operators alone", async () => {
  for (const key of [viewer, stranger, demoKey]) {
    const { status, body } = await heddle.request("GET", "/console/overview", undefined, { key });
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(["errors", "limits", "message", "ready", "routes", "seconds", "workspace"]);
  }
  const { body } = await heddle.request("GET", "/console/overview", undefined, { key: operator });
  expect(Object.keys(body)).toEqual(expect.arrayContaining(["lanes", "held_users", "set_aside"]));
});

test("the page may run its own script alone, and is shown in no other page", async () => {
  const page = await fetch(`${heddle.heddle.url}/console`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/);
  for (const [, path = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(heddle.heddle.url + path)).status, path).toBe(200);
  }
});
