/** heddle log beside a running server, in one process and in the mesh. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

async function log(...args: string[]) {
  return await runCommand(["log", ...args], suite.heddle.commandEnv);
}

test("heddle log status says how far everything is, and that nothing waits", async () => {
  await suite.accept("/users/track", { attributes: [{ external_id: fresh(), color: "red" }] });
  await expect.poll(async () => JSON.parse((await log("status", "--json")).output).lags[0]).toMatchObject({ lane: "intake-0", records: 0 });
  const shown = await log("status");
  expect(shown.code, shown.errors).toBe(0);
  expect(shown.output).toMatch(/LANE +BEHIND.*\nintake-0 +0/);
  await expect.poll(async () => JSON.parse((await log("status", "--json")).output).lags).toEqual([
    expect.objectContaining({ lane: "intake-0", records: 0 }),
    expect.objectContaining({ lane: "subscription", records: 0 }),
    expect.objectContaining({ lane: "messaging-status", records: 0 }),
  ]);
  expect(shown.output).toContain("Nothing waits for a human");
});

test("heddle log redrive and skip say so where no user is blocked", async () => {
  expect(await log("redrive")).toMatchObject({ code: 0, output: "No user is blocked\n" });
  const skipped = await log("skip", "--workspace", "ws_1", "--user", "0".repeat(24), "--at", "17.0");
  expect(skipped).toMatchObject({ code: 1, errors: expect.stringContaining("Expected a blocked user") });
  expect(await log("skip", "--workspace", "ws_1", "--user", "x", "--at", "soon")).toMatchObject({ code: 2 });
});
