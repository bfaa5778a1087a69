/** What operators are told of the whole installation. */
import { expect, test } from "vitest";
import { buildVersion } from "../../platform/own-process.ts";
import { demoKey, testShape } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const stranger = "a-key-of-no-operator";
const suite = heddleSuite({
  apply: `
companies:
  - name: acme
    workspaces:
      - name: demo
        plan: standard
        apiKeys:
          - { name: operator, permissions: ["*", "console.operate"], secret: ${demoKey} }
          - { name: stranger, permissions: ["*"], secret: ${stranger} }
`,
});

test("operators see which processes run, of which build and runtime, and that all were heard of", async () => {
  type Listed = { part: string; version: string; runtime: string; started_at: string; late: boolean }[];
  /** Without those that somebody killed before. */
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
