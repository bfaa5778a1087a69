/** What the console is told: overview and users of the key's own workspace, behind a permission of its own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoKey, type Heddle, startHeddle } from "../heddle.ts";
import { fresh } from "../suite.ts";

const viewer = "a-key-that-may-only-look";
const operator = "a-key-that-may-see-the-whole";
const tracker = "a-key-that-may-only-track";
const stranger = "a-key-of-another-workspace";
let heddle: Heddle;

beforeAll(async () => {
  heddle = await startHeddle({
    apply: `
companies:
  - name: acme
    onboardedAt: 2020-01-01
    workspaces:
      - name: demo
        plan: standard
        apiKeys:
          - { name: all, permissions: ["*"], secret: ${demoKey} }
          - { name: viewer, permissions: ["console.view"], secret: ${viewer} }
          - { name: operator, permissions: ["*", "console.operate"], secret: ${operator} }
          - { name: tracker, permissions: ["users.track"], secret: ${tracker} }
      - name: other
        plan: standard
        apiKeys: [{ name: all, permissions: ["*"], secret: ${stranger} }]
`,
  });
});

afterAll(() => heddle.close());

async function inspect(body: unknown, key = viewer): Promise<Inspected> {
  const answer = await heddle.request("POST", "/console/users", body, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Inspected;
}

interface Inspected {
  readonly users: readonly {
    readonly fields: readonly {
      name: string;
      custom: boolean;
      value: unknown;
      set_by?: { request_id?: string; actor?: string; what?: string };
    }[];
    readonly merges: readonly { asked_by?: { request_id?: string } }[];
    readonly consent?: readonly { what: string; after: string | null; request_id: string }[];
  }[];
}

function track(requestId: string, attributes: object): ReturnType<Heddle["request"]> {
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

test("provenance outlives a restart", async () => {
  const id = fresh();
  await track(`kept-${id}`, { external_id: id, a: 1 });
  await expect.poll(async () => (await inspect({ external_id: id })).users.length).toBe(1);
  await heddle.restart();
  const [user] = (await inspect({ external_id: id })).users;
  expect(user?.fields.find(({ name }) => name === "a")?.set_by).toMatchObject({ request_id: `kept-${id}`, what: "track" });
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
  await heddle.request("POST", "/users/track", { attributes: "none" }, { headers: { "x-request-id": `wrong-${id}` } });
  for (const [method, path] of [["GET", "/console/overview"], ["POST", "/console/users"]] as const) {
    const body = method === "POST" ? { external_id: id } : undefined;
    expect((await heddle.request(method, path, body, { key: tracker })).status).toBe(403);
    expect((await heddle.request(method, path, body, { key: undefined })).status).toBe(401);
  }
  expect((await heddle.request("POST", "/users/track", {}, { key: viewer })).status).toBe(403);
  expect((await inspect({ external_id: id }, stranger)).users).toEqual([]);
  // Of several gateways each tells what it answered itself
  await expect.poll(async () => (await heddle.request("GET", "/console/overview", undefined, { key: viewer })).text)
    .toContain(`wrong-${id}`);
  expect((await heddle.request("GET", "/console/overview", undefined, { key: stranger })).text).not.toContain(`wrong-${id}`);
});

test("the overview tells throughput and limits, and to operators lanes too", async () => {
  interface Overview {
    ready: boolean;
    seconds: { requests: number }[];
    routes: { route: string; requests: number }[];
    lanes: { lane: string }[];
    limits: { name: string; capacity: number; remaining: number }[];
  }
  // Of several gateways each tells what it answered itself
  let overview: Overview | undefined;
  await expect.poll(async () => {
    await track("counted", { external_id: fresh(), a: 1 });
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
  const page = await fetch(`${heddle.url}/console`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/);
  for (const [, path = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(heddle.url + path)).status, path).toBe(200);
  }
});
