/** A deadline, and a client that leaves, over three hops of real HTTP/2: each part has the rest of the time of the one before. */
import type { HandlerContext } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { connectClient } from "./client.ts";
import { directClient } from "./direct.ts";
import { type RpcRoute, rpcRoute } from "./guard.ts";
import { serveRpc } from "./server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(route: RpcRoute): Promise<string> {
  const server = await serveRpc({
    routes: [route],
    host: "127.0.0.1",
    port: 0,
    callers: new Map([[route.service.typeName, ["part"]]]),
    clock: systemClock,
    logger: silentLogger,
    health: () => ({ ready: true }),
  });
  closing.push(() => server.close(0));
  return server.url;
}

/** The parts' own deadline, far above those of the tests. */
const calling = { caller: "part", deadlineMs: 30_000 };

interface Hops {
  readonly subscription: ReturnType<typeof connectClient<typeof SubscriptionService>>["client"];
  /** The last hop, once it is reached. */
  readonly last: Promise<{ readonly leftMs: number; readonly signal: AbortSignal; readonly requestId: string | null }>;
}

/** subscription -> profile -> messaging-status, which never answers. `shared`: the second hop travels with others. */
async function threeHops({ shared }: { readonly shared: boolean }): Promise<Hops> {
  const last = Promise.withResolvers<Awaited<Hops["last"]>>();
  const statusUrl = await serve(rpcRoute(MessagingStatusService, {
    getEmailStates(_, context: HandlerContext) {
      last.resolve({
        leftMs: context.timeoutMs() ?? Infinity,
        signal: context.signal,
        requestId: context.requestHeader.get("x-request-id"),
      });
      return new Promise<never>(() => {});
    },
  }));
  const statuses = connectClient(MessagingStatusService, { ...calling, addresses: [statusUrl] });
  const profileUrl = await serve(rpcRoute(ProfileService, {
    async resolveUsers() {
      await statuses.client.getEmailStates({ emails: ["a@example.com"] });
      return {};
    },
  }));
  const profile = connectClient(ProfileService, { ...calling, addresses: [profileUrl], ...(shared && { shared: ["resolveUsers"] }) });
  const subscriptionUrl = await serve(rpcRoute(SubscriptionService, {
    async getUserStatus() {
      // Two at once go in one message where calls are shared
      await Promise.all([profile.client.resolveUsers({}), profile.client.resolveUsers({})]);
      return {};
    },
  }));
  const gateway = connectClient(SubscriptionService, { ...calling, addresses: [subscriptionUrl] });
  closing.push(statuses.close, profile.close, gateway.close);
  return { subscription: gateway.client, last: last.promise };
}

for (const shared of [false, true]) {
  test(`the third hop has what is left of the first one's deadline${shared ? ", also where calls are shared" : ""}`, async () => {
    const { subscription, last } = await threeHops({ shared });
    const timeoutMs = 2_000;
    const answer = subscription.getUserStatus({}, { timeoutMs, headers: { "x-request-id": "r1" } });
    const seen = await last;
    expect(seen.leftMs).toBeLessThanOrEqual(timeoutMs - 3 * limits.rpcAnswerReserveMs);
    expect(seen.requestId).toBe("r1");
    const began = performance.now();
    await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    expect(performance.now() - began).toBeLessThan(timeoutMs + 500);
    await expect.poll(() => seen.signal.aborted).toBe(true);
  });

  test(`the third hop hears of a client that left${shared ? ", also where calls are shared" : ""}`, async () => {
    const { subscription, last } = await threeHops({ shared });
    const client = new AbortController();
    const answer = subscription.getUserStatus({}, { signal: client.signal });
    const { signal } = await last;
    expect(signal.aborted).toBe(false);
    client.abort();
    await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    await expect.poll(() => signal.aborted).toBe(true);
  });
}

test("a write that was begun goes on when the client has left", async () => {
  const written = Promise.withResolvers<AbortSignal>();
  const url = await serve(rpcRoute(ProfileService, {
    trackUsers(_, { signal }) {
      written.resolve(signal);
      return new Promise<never>(() => {});
    },
  }));
  const profile = connectClient(ProfileService, { ...calling, addresses: [url] });
  const first = await serve(rpcRoute(SubscriptionService, {
    async setStatus() {
      await profile.client.trackUsers({});
      return {};
    },
  }));
  const gateway = connectClient(SubscriptionService, { ...calling, addresses: [first] });
  closing.push(profile.close, gateway.close);
  const client = new AbortController();
  const answer = gateway.client.setStatus({}, { signal: client.signal });
  const signal = await written.promise;
  client.abort();
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  // Another call on the same connections is answered after the end of the first would have been heard
  await gateway.client.getStatus({}).catch(() => {});
  expect(signal.aborted).toBe(false);
});

test("calls within the process inherit too", async () => {
  const asked = Promise.withResolvers<HandlerContext>();
  const profile = directClient(ProfileService, {
    resolveUsers(_, context) {
      asked.resolve(context);
      return new Promise<never>(() => {});
    },
  });
  const subscription = directClient(SubscriptionService, {
    async getUserStatus() {
      await profile.resolveUsers({});
      return {};
    },
  });
  const client = new AbortController();
  const answer = subscription.getUserStatus({}, { signal: client.signal, timeoutMs: 2_000 });
  const { signal, timeoutMs } = await asked.promise;
  expect(timeoutMs()).toBeLessThanOrEqual(2_000);
  client.abort();
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(signal.aborted).toBe(true);
});
