/** Guessing teaches nothing: what nobody has and what others have are told in the same words, and in the same time (`HEDDLE_HOSTILE=long`). */
import { connect, type Socket } from "node:net";
import { env } from "node:process";
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { demoKey } from "../heddle.ts";
import { head } from "../raw.ts";
import { fresh, heddleSuite } from "../suite.ts";

const theirKey = "key-of-another-workspace";
const revokedKey = "a-key-that-will-be-revoked";
const heddle = heddleSuite({
  apply: `
companies:
  - name: acme
    workspaces:
      - name: demo
        apiKeys: [{ name: all, permissions: ["*"], secret: ${demoKey} }, { name: doomed, permissions: ["*"], secret: ${revokedKey} }]
      - name: other
        limits: { users_export_ids: 1000000 }
        apiKeys: [{ name: all, permissions: ["*"], secret: ${theirKey} }]
`,
});

async function revoke(): Promise<void> {
  const list = await runCommand(["keys", "list", "--json"], heddle.heddle.commandEnv);
  const keys: { id: string; name: string; revokedAt: string | null }[] = JSON.parse(list.output);
  const doomed = keys.find(({ name }) => name === "doomed");
  if (doomed?.revokedAt === null) await runCommand(["keys", "revoke", doomed.id], heddle.heddle.commandEnv);
  await expect.poll(async () => (await heddle.post("/users/track", {}, { key: revokedKey })).status).toBe(401);
}

test("a key that was revoked, one that never was and one that is no key are refused in the same words", async () => {
  await revoke();
  const told = await Promise.all([revokedKey, "a-key-that-never-was-there", `hdl_${"x".repeat(36)}`, "x"].map(async (key) => {
    const { status, text } = await heddle.post("/users/track", {}, { key });
    return [status, text];
  }));
  expect(new Set(told.map(String)).size).toBe(1);
});

/** Milliseconds of each request, the two kinds in turn, on one connection. */
async function times(requests: readonly [string, string], rounds: number): Promise<[number[], number[]]> {
  const { hostname, port } = new URL(heddle.heddle.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  let answered: (() => void) | undefined;
  socket.on("data", () => answered?.());
  await new Promise((resolve) => socket.once("connect", resolve));
  const kept: [number[], number[]] = [[], []];
  for (let at = 0; at < rounds * 2; at += 1) {
    const kind = at % 2 as 0 | 1;
    const began = performance.now();
    const answer = new Promise<void>((resolve) => (answered = resolve));
    socket.write(requests[kind]);
    await answer;
    kept[kind].push(performance.now() - began);
  }
  socket.destroy();
  return kept;
}

function request(path: string, key: string, body: object): string {
  const text = JSON.stringify(body);
  const headers = ["Host: a", `Authorization: Bearer ${key}`, "Content-Type: application/json", `Content-Length: ${text.length}`];
  return head(`POST ${path} HTTP/1.1`, headers) + text;
}

/** The difference of medians, and three times its standard error, in milliseconds. */
function compared([one, other]: [number[], number[]]): { difference: number; noise: number } {
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  function error(list: number[]): number {
    const sorted = list.toSorted((a, b) => a - b);
    const half = Math.floor(0.98 * Math.sqrt(list.length));
    const middle = Math.floor(list.length / 2);
    return ((sorted[middle + half] ?? 0) - (sorted[middle - half] ?? 0)) / (2 * 1.96);
  }
  return { difference: Math.abs(median(one) - median(other)), noise: 3 * Math.hypot(error(one), error(other)) };
}

if (env.HEDDLE_HOSTILE === "long") {
  const rounds = 9_000;
  const fiveMicroseconds = 0.005;

  test("a key that was revoked takes as long as one that never was", async () => {
    await revoke();
    const never = "b-key-that-will-be-revoked";
    const { difference, noise } = compared(
      await times([request("/users/track", revokedKey, {}), request("/users/track", never, {})], rounds),
    );
    console.log(`revoked against unknown key: ${(difference * 1_000).toFixed(1)} us, noise ${(noise * 1_000).toFixed(1)} us`);
    expect(difference).toBeLessThan(Math.max(fiveMicroseconds, noise));
  }, 300_000);

  test("a user of another workspace takes as long as one whom nobody has", async () => {
    const known = fresh();
    await heddle.track({ attributes: [{ external_id: known, a: 1 }] });
    await heddle.user(known);
    const ask = (id: string) => request("/users/export/ids", theirKey, { external_ids: [id] });
    const { difference, noise } = compared(await times([ask(known), ask(fresh())], rounds));
    console.log(`user of another workspace against nobody: ${(difference * 1_000).toFixed(1)} us, noise ${(noise * 1_000).toFixed(1)} us`);
    expect(difference).toBeLessThan(Math.max(fiveMicroseconds, noise));
  }, 300_000);
}
