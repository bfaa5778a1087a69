/** Looks for workspaces that a process does not know: few at a time, and those of others refuse nobody's first call. */
import { expect, test } from "vitest";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { limits } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { type Handler, rpcRoute } from "./guard.ts";
import { type Tenant, tenantRoute } from "./tenants.ts";

/** A route of one method before a store that answers when the test says so. */
function stage() {
  const looks: { tenant: Tenant; answer(isThere: boolean): void }[] = [];
  const route = tenantRoute(rpcRoute(MessagingStatusService, { reportBounce: () => ({}) }), {
    isKnown: () => false,
    find: (tenant) => new Promise((answer) => looks.push({ tenant, answer })),
  });
  function call(workspaceId: string): Promise<string> {
    const answer = (route.implementation.reportBounce as Handler)({ scope: { workspaceId } }, {} as never);
    return Promise.resolve(answer).then(() => "", (thrown) => (thrown as Refusal).reason);
  }
  return { looks, call };
}

test("a flood of names that are not there keeps a first call of another waiting, and does not refuse it", async () => {
  const { looks, call } = stage();
  const flood = Array.from({ length: limits.rpcTenantLooksMax + 50 }, (_, at) => call(`nope${at}`));
  const other = call("there");
  for (let at = 0; at < flood.length + 1; at += 1) {
    await expect.poll(() => looks.length).toBe(Math.min(at + limits.rpcTenantLooksMax, flood.length + 1));
    looks[at]?.answer(looks[at]?.tenant.id === "there");
  }
  expect(await other).toBe("");
  expect(new Set(await Promise.all(flood))).toEqual(new Set(["NOT_FOUND"]));
});

test("no more wait than may, and one name is looked for once", async () => {
  const { looks, call } = stage();
  const held = limits.rpcTenantLooksMax + limits.rpcTenantLooksWaitingMax;
  const waiting = Array.from({ length: held }, (_, at) => call(`nope${at}`));
  const same = call("nope0");
  expect(await call("one-more")).toBe("OVERLOADED");
  for (let at = 0; at < held; at += 1) {
    if (looks.length <= at) await expect.poll(() => looks.length).toBeGreaterThan(at);
    looks[at]?.answer(false);
  }
  expect(new Set(await Promise.all([...waiting, same]))).toEqual(new Set(["NOT_FOUND"]));
  expect(looks).toHaveLength(held);
});
