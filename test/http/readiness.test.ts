/** /readyz in one process, and `heddle log`, while a table does not take what was accepted. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseFile } from "../../cli/target/data-folder.ts";
import { runCommand } from "../command-line.ts";
import { consentDeclaration, emailGroup } from "../consent.ts";
import { type Heddle, startHeddle } from "../heddle.ts";
import { fresh, freshEmail } from "../suite.ts";

let heddle: Heddle;
let operators = "";

beforeAll(async () => {
  heddle = await startHeddle({ apply: consentDeclaration, env: { HEDDLE_METRICS_PORT: "0" } });
  operators = /"url":"([^"]+)","event":"metrics_listening"/.exec(heddle.output())?.[1] ?? "";
});

afterAll(() => heddle.close());

/** From another process the rows of a table that match cannot be written while `work` runs. */
async function whileRefused(table: string, work: () => Promise<void>, match = "true"): Promise<void> {
  const database = new DatabaseSync(join(heddle.dataDir, databaseFile), { timeout: 15_000 });
  const actions = ["INSERT", "UPDATE"];
  for (const action of actions) {
    database.exec(
      `CREATE TRIGGER refuse_${action} BEFORE ${action} ON ${table} WHEN ${match} BEGIN SELECT RAISE(ABORT, 'zz-what-a-row-held'); END`,
    );
  }
  try {
    await work();
  } finally {
    for (const action of actions) database.exec(`DROP TRIGGER refuse_${action}`);
    database.close();
  }
}

async function readyz(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

const ready = { status: 200, text: expect.stringContaining('"ready"') };
const [id, email] = [fresh(), freshEmail()];
const parts: readonly (readonly [name: string, table: string, path: string, body: object])[] = [
  ["profile", "profile_profiles", "/users/track", { attributes: [{ external_id: id, email }] }],
  [
    "subscription",
    "subscription_memberships",
    "/subscription/status/set",
    { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: [id] },
  ],
  ["messaging-status", "messaging_status_addresses", "/email/status", { email, subscription_state: "unsubscribed" }],
];

test.each(parts)(
  "stays ready where a table of %s does not take a record, names it in words of ours, and a redrive applies it",
  async (...part) => {
    const [name, table, path, body] = part;
    await expect.poll(() => readyz(heddle.url)).toEqual(ready);
    await whileRefused(table, async () => {
      // Accepting needs the log alone
      expect((await heddle.request("POST", path, body)).status).toBe(201);
      await expect.poll(() => readyz(heddle.url)).toMatchObject({
        status: 200,
        text: expect.stringMatching(`"${name}: .*dead letters: 1`),
      });
      expect(await readyz(operators)).toMatchObject({ status: 200, text: expect.stringContaining(name) });
      expect((await (await fetch(`${operators}/metrics`)).text()).includes("\nheddle_ready 1\n")).toBe(true);
      expect((await readyz(heddle.url)).text).not.toContain("zz-what");
      expect((await fetch(`${heddle.url}/livez`)).status).toBe(200);
      expect((await runCommand(["log", "status"], heddle.commandEnv)).output).toMatch(
        /(DEAD LETTER IN|CONSENT WAITS)[^]*zz-what-a-row-held/,
      );
    });
    expect((await runCommand(["log", "redrive"], heddle.commandEnv)).output).toMatch(/^1 dead letter .*is tried once more/m);
    await expect.poll(async () => (await runCommand(["log", "status"], heddle.commandEnv)).output).toContain("Nothing waits for a human");
    await expect.poll(async () => (await readyz(heddle.url)).text).not.toContain("dead letters");
  },
);

test("others go on while one user's row is not taken, and `heddle log skip` gives a request up that was set aside", async () => {
  const [refused, other] = [fresh(), fresh()];
  await whileRefused("profile_profiles", async () => {
    for (const external_id of [refused, other]) {
      await heddle.request("POST", "/users/track", { attributes: [{ external_id, color: "red" }] });
    }
    const { body, headers } = await heddle.request("POST", "/users/export/ids", {
      external_ids: [refused, other],
      fields_to_export: ["external_id"],
    });
    expect(headers.get("x-heddle-read")).toBeNull();
    expect((body as { users: unknown[] }).users).toEqual([{ external_id: other }]);
  }, `NEW.body LIKE '%${refused}%'`);
  const [{ partition, sequence } = { partition: -1, sequence: 0 }] = await setAside();
  const skipped = await runCommand(["log", "skip", "--partition", String(partition), "--at", String(sequence)], heddle.commandEnv);
  expect(skipped, skipped.errors).toMatchObject({ code: 0 });
  expect(await setAside()).toEqual([]);
  const again = await runCommand(["log", "skip", "--partition", String(partition), "--at", String(sequence)], heddle.commandEnv);
  expect(again).toMatchObject({ code: 1, errors: expect.stringContaining("Expected a dead letter") });
});

async function setAside(): Promise<{ partition: number; sequence: number }[]> {
  const { output } = await runCommand(["log", "status", "--json"], heddle.commandEnv);
  return (JSON.parse(output) as { setAside: { partition: number; sequence: number }[] }).setAside;
}
