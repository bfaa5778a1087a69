/** Ledgers of the mesh are verified in as many calls as it takes, whichever builds the parts are of. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveService } from "../platform/rpc/part.fixture.ts";
import type { RpcServer } from "../platform/rpc/server.ts";
import { SubscriptionService, type VerifyLedgerRequest } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { withConsentPlace } from "./consent-place.ts";

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
])("verify() over the mesh: $name", async ({ given, calls, entries, damaged = false }) => {
  answers = given;
  asked.length = 0;
  const { url } = server;
  const env = { HEDDLE_SUBSCRIPTION_URL: url, HEDDLE_MESSAGING_STATUS_URL: url };
  const found = await withConsentPlace({ database: undefined, env }, async ({ ledgers: [ledger] }) => await ledger?.verify("w"));
  expect(asked).toEqual(calls);
  expect(found?.entries).toBe(entries);
  expect(found?.damage?.subject).toBe(damaged ? "u" : undefined);
});
