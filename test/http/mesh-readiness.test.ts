/** /readyz on the mesh: the gateway names the parts that are away, and each part the server without which it cannot apply. */
import { env } from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Door, openDoor } from "../door.ts";
import { type Heddle, startHeddle } from "../heddle.ts";
import { fresh } from "../suite.ts";

let heddle: Heddle;
let nats: Door;
let cassandra: Door;
const all = ["profile", "subscription", "messaging-status", "scim", "content"];
const readers = ["profile", "subscription", "messaging-status"];

beforeAll(async () => {
  const servers = JSON.parse(env["HEDDLE_TEST_MESH"] ?? "{}") as Record<string, string>;
  nats = await openDoor(new URL(servers["HEDDLE_NATS_URL"] ?? "").host);
  cassandra = await openDoor(servers["HEDDLE_CASSANDRA_CONTACT_POINTS"] ?? "");
  heddle = await startHeddle({
    env: {
      HEDDLE_METRICS_PORT: "0",
      HEDDLE_NATS_URL: `nats://${nats.address}`,
      HEDDLE_CASSANDRA_CONTACT_POINTS: cassandra.address,
    },
  });
});

afterAll(async () => {
  await heddle.close();
  await Promise.all([nats.close(), cassandra.close()]);
});

interface Told {
  readonly status: number;
  readonly message: string;
}

async function gateway(): Promise<Told> {
  const { status, body } = await heddle.request("GET", "/readyz", undefined, { key: undefined });
  return { status, message: body.message ?? "" };
}

/** What a load balancer asks, on a connection of its own. */
async function itself(): Promise<number> {
  const { status } = await fetch(`${heddle.url}/readyz/gateway`, { headers: { connection: "close" } });
  return status;
}

function track(id = fresh()): ReturnType<Heddle["request"]> {
  return heddle.request("POST", "/users/track", { attributes: [{ external_id: id, a: 1 }] });
}

/** Of a part's own port for operators. */
async function told(part: string): Promise<Told> {
  const output = heddle.mesh.parts.get(part)?.output() ?? "";
  const url = [...output.matchAll(/"url":"([^"]+)","event":"metrics_listening"/g)].at(-1)?.[1] ?? "";
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, message: await answer.text() };
}

/** What the console shows. */
async function overview(): Promise<unknown> {
  const { status, body } = await heddle.request("GET", "/console/overview");
  expect(status).toBe(200);
  return body;
}

function away(parts: readonly string[]): Told {
  return { status: 503, message: `No ${parts.join(" and no ")} process is ready` };
}

const patient = { timeout: 60_000 };
/** Of a test: processes start and servers are waited for, one after the other. */
const long = { timeout: 240_000 };
const ready = { status: 200, message: "success" };

test("the gateway names each part of which no process is there, and hears when it is back", long, async () => {
  await expect.poll(gateway, patient).toEqual(ready);
  const killed: string[] = [];
  for (const part of ["subscription", "messaging-status", "scim", "content", "profile"]) {
    await heddle.mesh.killPart(part);
    killed.push(part);
    await expect.poll(gateway, patient).toEqual(away(all.filter((each) => killed.includes(each))));
    expect(await itself()).toBe(200);
    if (part !== "profile") expect((await track()).status).toBe(201);
    if (part === "content") expect(await overview()).toMatchObject({ ready: false, lanes: [{ lane: "intake-0" }] });
  }
  expect((await heddle.request("GET", "/livez", undefined, { key: undefined })).status).toBe(200);
  await Promise.all(all.map((part) => heddle.mesh.startPart(part)));
  await expect.poll(gateway, patient).toEqual(ready);
});

test("without NATS nothing is applied: the parts that read it say so, and the gateway names them", long, async () => {
  nats.shut();
  await expect.poll(gateway, patient).toEqual(away(readers));
  for (const part of readers) {
    await expect.poll(() => told(part), patient).toMatchObject({ status: 503, message: expect.stringContaining("NATS is away") });
  }
  for (const part of ["scim", "content"]) expect(await told(part)).toMatchObject({ status: 200 });
  nats.open();
  await expect.poll(gateway, patient).toEqual(ready);
});

test("without Cassandra writes are accepted and not applied: every part says so, until what waited is there", long, async () => {
  const id = fresh();
  cassandra.shut();
  expect((await track(id)).status).toBe(201);
  await expect.poll(gateway, patient).toEqual(away(all));
  expect(await itself()).toBe(200);
  for (const part of all) {
    await expect.poll(() => told(part), patient).toMatchObject({ status: 503, message: expect.stringContaining("Cassandra is away") });
  }
  cassandra.open();
  await expect.poll(gateway, patient).toEqual(ready);
  const asked = () => heddle.request("POST", "/users/export/ids", { external_ids: [id] });
  await expect.poll(async () => (await asked()).body.users?.length, patient).toBe(1);
});
