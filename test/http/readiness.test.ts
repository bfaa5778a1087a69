/** /readyz in one process: it fails, and names the part, while what was accepted cannot be applied. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseFile } from "../../cli/data-folder.ts";
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

/** From another process the rows of a table cannot be written while `work` runs. */
async function whileFull(table: string, work: () => Promise<void>): Promise<void> {
  const database = new DatabaseSync(join(heddle.dataDir, databaseFile), { timeout: 15_000 });
  const actions = ["INSERT", "UPDATE"];
  for (const action of actions) {
    database.exec(`CREATE TRIGGER full_${action} BEFORE ${action} ON ${table} BEGIN SELECT RAISE(ABORT, 'zz-what-a-row-held'); END`);
  }
  try {
    await work();
  } finally {
    for (const action of actions) database.exec(`DROP TRIGGER full_${action}`);
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
  "names %s while its rows cannot be written, in words of ours, and is ready when they can",
  async (name, table, path, body) => {
    await expect.poll(() => readyz(heddle.url)).toEqual(ready);
    await whileFull(table, async () => {
      // Accepting needs the log alone
      expect((await heddle.request("POST", path, body)).status).toBe(201);
      await expect.poll(() => readyz(heddle.url)).toMatchObject({ status: 503, text: expect.stringMatching(`"${name}: Cannot apply`) });
      expect(await readyz(operators)).toMatchObject({ status: 503, text: expect.stringContaining(name) });
      expect((await (await fetch(`${operators}/metrics`)).text()).includes("\nheddle_ready 0\n")).toBe(true);
      expect((await readyz(heddle.url)).text).not.toContain("zz-what");
      expect((await fetch(`${heddle.url}/livez`)).status).toBe(200);
    });
    await expect.poll(() => readyz(heddle.url)).toEqual(ready);
    await expect.poll(() => readyz(operators)).toEqual(ready);
  },
);
