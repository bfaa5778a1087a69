/** Ledgers: of the mesh, verified in as many calls as it takes, whichever builds the parts are of; of a folder, shown whole or not at all. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serveService } from "../../platform/rpc/part.fixture.ts";
import type { RpcServer } from "../../platform/rpc/server.ts";
import { SubscriptionService, type VerifyLedgerRequest } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { runCommand } from "../../test/command-line.ts";
import { verifyLedger, withConsentTarget } from "./consent-target.ts";
import { databaseFile } from "./data-folder.ts";

let server: RpcServer;
let answers: readonly Answer[] = [];
const asked: (string | undefined)[] = [];

interface Answer {
  readonly entries: bigint;
  readonly damage?: { readonly subject: string; readonly index: number; readonly reason: string };
  /** Builds before know no pages. */
  readonly next?: string;
}

beforeAll(async () => {
  server = await serveService(SubscriptionService, {
    verifyLedger({ from }: VerifyLedgerRequest) {
      asked.push(from);
      return answers[asked.length - 1] ?? {};
    },
  });
});
afterAll(() => server.close());

const damage = { subject: "u", index: 1, reason: "The entry was changed" };

test.each<{ name: string; given: readonly Answer[]; calls: readonly string[]; entries: number; damaged?: boolean }>([
  { name: "one page", given: [{ entries: 7n, next: "" }], calls: [""], entries: 7 },
  {
    name: "several pages",
    given: [{ entries: 7n, next: "a" }, { entries: 2n, next: "b" }, { entries: 1n, next: "" }],
    calls: ["", "a", "b"],
    entries: 10,
  },
  {
    name: "damage in a later page",
    given: [{ entries: 7n, next: "a" }, { entries: 2n, damage, next: "b" }],
    calls: ["", "a"],
    entries: 9,
    damaged: true,
  },
  { name: "a part of the build before, which checks all", given: [{ entries: 12n }], calls: [""], entries: 12 },
  {
    name: "such a part behind one of this build",
    given: [{ entries: 7n, next: "a" }, { entries: 12n, damage }],
    calls: ["", "a"],
    entries: 12,
    damaged: true,
  },
])("verifyLedger() over the mesh: $name", async ({ given, calls, entries, damaged = false }) => {
  answers = given;
  asked.length = 0;
  const { url } = server;
  const env = { HEDDLE_SUBSCRIPTION_URL: url, HEDDLE_MESSAGING_STATUS_URL: url };
  const found = await withConsentTarget(
    { database: undefined, env },
    async ({ ledgers: [ledger] }) => ledger && await verifyLedger(ledger, "w"),
  );
  expect(asked).toEqual(calls);
  expect(found?.entries).toBe(entries);
  expect(found?.damage?.subject).toBe(damaged ? "u" : undefined);
});

test("history says that a chain cannot be read, and does not leave it out", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { HEDDLE_DATA_DIR: join(folder, "data") };
  const file = join(folder, "heddle.yaml");
  writeFileSync(file, "companies: [{ name: acme, workspaces: [{ id: ws_demo, name: demo }] }]");
  await runCommand(["apply", "--file", file], env);
  const history = ["consent", "history", "--email", "ann@example.com"];
  expect(await runCommand(history, env)).toMatchObject({ code: 0, output: "Nothing was ever set\n" });
  const database = new DatabaseSync(join(env.HEDDLE_DATA_DIR, databaseFile));
  database.exec(`INSERT INTO messaging_status_ledger (workspace_id, subject, place, body) VALUES ('ws_demo', 'ann@example.com', 0, 'x')`);
  database.close();
  const { code, output, errors } = await runCommand(history, env);
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toContain("entry 0 of ann@example.com is damaged: An entry cannot be read");
});
