/** What operators see of the whole installation. */
import { expect, test } from "vitest";
import { buildVersion } from "../../platform/own-process.ts";
import { apiKey, declared, operatorPermissions } from "../declaration.ts";
import { demoKey, testShape } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const stranger = "a-key-of-no-operator";
const suite = heddleSuite({
  apply: declared({ demo: { apiKeys: [apiKey("operator", demoKey, operatorPermissions), apiKey("stranger", stranger)] } }),
});

test("operators see how far each lane was behind, by minute", async () => {
  await suite.accept("/users/track", { attributes: [{ external_id: fresh(), color: "red" }] });
  // A read of the present lag is kept in the history
  expect((await suite.get("/console/overview")).status).toBe(200);
  const answer = await suite.get("/console/lag");
  expect(answer, answer.text).toMatchObject({ status: 200, body: { step_seconds: 60, away: [], message: "success" } });
  const lanes = answer.body["lanes"] as { lane: string; samples: [number, number, number][] }[];
  expect(lanes.map(({ lane }) => lane)).toEqual(expect.arrayContaining(["intake-0", "subscription", "messaging-status"]));
  for (const { lane, samples } of lanes) {
    const [at = 0, records, seconds] = samples.at(-1) ?? [];
    expect([lane, at % 60, Date.now() / 1_000 - at < 120]).toEqual([lane, 0, true]);
    expect([records, seconds]).toEqual([expect.any(Number), expect.any(Number)]);
  }
  expect((await suite.get("/console/lag", { key: stranger })).status).toBe(403);
});

test("operators see what the process finds of itself and its servers", async () => {
  const { status, body, text } = await suite.get("/console/doctor");
  expect(status, text).toBe(200);
  const findings = body["findings"] as { check: string; level: string; text: string }[];
  const [well, others] = testShape === "mesh"
    ? [["runtime", "Cassandra", "Redis"], ["Cassandra access", "Redis access"]]
    : [["runtime", "sqlite", "files", "clock"], []];
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining([...well, ...others]));
  for (const check of well) expect(findings).toContainEqual({ check, level: "ok", text: expect.any(String) });
  expect(Date.parse(String(body["examined_at"]))).toBeLessThanOrEqual(Date.now());
  // Within some seconds none looks again, however many ask; there may be several gateways
  const again = await Promise.all(Array.from({ length: 20 }, () => suite.get("/console/doctor")));
  expect(new Set(again.map((answer) => answer.body["examined_at"])).size).toBeLessThan(5);
  expect((await suite.get("/console/doctor", { key: stranger })).status).toBe(403);
});

test("operators see which processes run, of which build and runtime, and that all were heard of", async () => {
  type Listed = { part: string; version: string; runtime: string; started_at: string; late: boolean }[];
  /** Without those that were killed before. */
  async function listed(): Promise<Listed> {
    const answer = await suite.get("/console/processes");
    expect(answer.status, answer.text).toBe(200);
    return (answer.body["processes"] as Listed).filter(({ late }) => !late);
  }
  const parts = testShape === "mesh" ? ["content", "gateway", "messaging-status", "profile", "scim", "subscription"] : ["heddle"];
  await expect.poll(async () => [...new Set((await listed()).map(({ part }) => part))]).toEqual(parts);
  for (const { version, runtime, started_at: startedAt } of await listed()) {
    expect(version).toBe(buildVersion);
    expect(runtime).toMatch(/^(Node|Deno) \d+[.]\d+/);
    expect(Date.parse(startedAt)).toBeLessThan(Date.now());
  }
  expect((await suite.get("/console/processes", { key: stranger })).status).toBe(403);
});
