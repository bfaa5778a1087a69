/** A mesh whose servers hang or are started last: in any order everything comes up by itself, and nothing is lost. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startCommand } from "../command-line.ts";
import { demoKey } from "../heddle.ts";
import { type MeshServers, startMeshServers } from "../mesh-servers.ts";
import { describeWith } from "../servers/require.ts";
import { fresh } from "../suite.ts";
import { type Mesh, partNames, startMesh } from "./mesh.ts";

const settledMsMax = 60_000;
const serverNames = ["nats", "redis", "cassandra"] as const;
type Member = (typeof partNames)[number] | (typeof serverNames)[number];

/** Gateway and profile first is the hardest; HEDDLE_START_ORDERS=all tries every one, for about an hour. */
const orders: Member[][] = env.HEDDLE_START_ORDERS === "all"
  ? permutations(["gateway", "profile-0", "nats", "redis", "cassandra"])
  : [["gateway", "profile-0", "redis", "nats", "cassandra"]];

await describeWith(["nats", "redis", "cassandra"], "the mesh in disorder", () => {
  let servers: MeshServers;
  let mesh: Mesh;
  beforeAll(async () => {
    servers = await startMeshServers();
    mesh = await startMesh(servers);
  });
  afterEach((context) => {
    if (context.task.result?.state === "fail") console.error(mesh.output());
  });
  afterAll(async () => {
    await mesh?.close();
    await servers?.stop();
  });

  test("a Redis that hangs costs no request", async () => {
    await servers.redis.kill("SIGSTOP");
    const answers = await Promise.all(Array.from({ length: 20 }, () => mesh.post("/users/track", eventOf(fresh()))));
    await servers.redis.kill("SIGCONT");
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  test("a file that is imported while profile processes are killed counts to the cent", async () => {
    const { file, totals, remove } = purchases();
    const imported = startCommand(["import", file, ...importOptions, "--url", mesh.url, "--key", demoKey]);
    for (let kill = 0; kill < 3; kill += 1) {
      await new Promise((done) => setTimeout(done, 1_500));
      await mesh.killProfile(kill % 2);
      await mesh.startProfile(kill % 2);
    }
    const result = await imported.ended;
    expect(result.code, `${result.output}${result.errors}`).toBe(0);
    remove();
    await expect.poll(() => read(mesh, [...totals.keys()]), { timeout: settledMsMax, interval: 500 }).toEqual(totals);
  });

  test.each(orders)("started as %s, %s, %s, %s, %s, all is there again", async (...order) => {
    const id = fresh();
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(id))).status, { timeout: settledMsMax }).toBe(201);
    for (const part of partNames) await mesh.kill(part);
    await Promise.all(serverNames.map((name) => servers[name].kill()));
    const started: Promise<void>[] = [];
    for (const member of order) {
      if (member === "nats" || member === "redis" || member === "cassandra") await servers[member].restart();
      else started.push(mesh.start(member));
    }
    await Promise.all(started);
    await expect.poll(async () => (await mesh.get("/readyz")).status, { timeout: settledMsMax }).toBe(200);
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(id))).status, { timeout: settledMsMax }).toBe(201);
    await expect.poll(() => eventsOf(mesh, id), { timeout: settledMsMax }).toBe(2);
    await mesh.start("profile-1");
  });
});

const importOptions = [
  "--delimiter",
  "whitespace",
  "--type",
  "purchase",
  "--quiet",
  "--batch-size",
  "20",
  ...["external_id=customer", "time=time", "product_id==cd", "currency==USD", "price=price", "quantity==1"].flatMap((
    map,
  ) => ["--map", map]),
];
const customers = 300;
const lines = 6_000;

/** Each customer's number of purchases and their sum in cents, and the file that says so. */
function purchases(): { file: string; totals: Map<string, [number, number]>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "heddle-purchases-"));
  const file = join(folder, "purchases.txt");
  const run = fresh("run");
  const totals = new Map<string, [number, number]>();
  const rows = Array.from({ length: lines }, (_, at) => {
    const customer = `${run}-${(at * 7) % customers}`;
    const cents = (at * 37) % 10_000;
    const [count, sum] = totals.get(customer) ?? [0, 0];
    totals.set(customer, [count + 1, sum + cents]);
    return `${customer} 2026-01-01T12:00:00Z ${(cents / 100).toFixed(2)}`;
  });
  writeFileSync(file, ["customer time price", ...rows].join("\n"));
  return { file, totals, remove: () => rmSync(folder, { recursive: true }) };
}

async function read(mesh: Mesh, ids: readonly string[]): Promise<Map<string, [number, number]>> {
  const totals = new Map<string, [number, number]>();
  for (let at = 0; at < ids.length; at += 50) {
    const answer = await mesh.post("/users/export/ids", { external_ids: ids.slice(at, at + 50) });
    for (const user of answer.body.users ?? []) {
      totals.set(user.external_id ?? "", [user.purchases?.[0]?.count ?? 0, Math.round((user.total_revenue ?? 0) * 100)]);
    }
  }
  return totals;
}

function eventOf(external_id: string): object {
  return { events: [{ external_id, name: "e", time: "2026-03-01T12:00:00Z" }] };
}

async function eventsOf(mesh: Mesh, id: string): Promise<number> {
  const answer = await mesh.post("/users/export/ids", { external_ids: [id] });
  return answer.body.users?.[0]?.custom_events?.[0]?.count ?? 0;
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
