/** A request that is in the log is never said not to be. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { type Reason, Refusal } from "../refusal.ts";
import { sha256 } from "./idempotency.ts";
import { submitTo } from "./intake.ts";

const context = { workspaceId: "w", requestId: "r", actor: "key_1", route: "/r", idempotencyKey: "k", readAfter: "", traceparent: "" };
const mark = { keyHash: sha256("k"), bodyHash: sha256("b"), keepMs: 1_000n };
const body = { case: "removeExternalIds", value: { externalIds: ["a"] } } as const;

const refused: readonly [Reason, Reason][] = [
  ["SERVICE_UNAVAILABLE", "OUTCOME_UNKNOWN"],
  ["SHUTTING_DOWN", "OUTCOME_UNKNOWN"],
  ["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"],
  ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_REUSED"],
  ["DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"],
];

test.each(refused)("%s of whoever is asked for the outcome is %s to the caller", async (reason, told) => {
  const log = { partitions: 1, append: () => Promise.resolve(1) };
  const deps = { log, clock: fakeClock(), decided: () => Promise.reject(new Refusal(reason)) };
  await expect(submitTo(deps, context, { body: body as never, idempotency: mark })).rejects.toMatchObject({ reason: told });
});
