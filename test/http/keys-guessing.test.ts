/** Guessing teaches nothing: keys that were and keys that never were are refused in the same words. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { apiKey, declared } from "../declaration.ts";
import { heddleSuite } from "../suite.ts";

const revokedKey = "a-key-that-will-be-revoked";
const heddle = heddleSuite({
  apply: declared({ keys: [apiKey("doomed", revokedKey)] }),
});

async function revoke(): Promise<void> {
  const list = await runCommand(["keys", "list", "--workspace", "acme/demo", "--json"], heddle.heddle.commandEnv);
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
