/** A client hangs up: on every route the calls that only read are cancelled, and writes go on (reliability S24). */
import { connect } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
import { hasSideEffects } from "../platform/rpc/attempts.ts";
import { Refusal } from "../platform/refusal.ts";
import { ContentService } from "../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { exampleRequest } from "../test/example-request.ts";
import { startStubGateway, type StubGateway } from "../test/gateway-stub.ts";
import { ClientGone } from "./http/http-message.ts";
import { entries } from "./openapi/entries.ts";
import { openServer } from "./server.ts";

let gateway: StubGateway | undefined;
afterEach(async () => {
  for (const { end } of calls.splice(0)) end();
  const closed = gateway?.gateway.close();
  // A client that gave up leaves a connection on which nothing came: it is cut, not waited for
  gateway?.clock.advance(limits.drainMsMax);
  await closed;
  gateway = undefined;
});

const calls: Seen[] = [];

interface Seen {
  readonly name: string;
  readonly writes: boolean;
  readonly signal: AbortSignal | undefined;
  /** Ends the call, as its deadline would. */
  readonly end: () => void;
}

/** A part that answers no call; a call ends when it is cancelled. */
function silent(service: DescService, seen: (call: Seen) => void): object {
  return new Proxy({}, {
    get: (_, name: string) => (_request: unknown, { signal }: CallOptions = {}) =>
      new Promise((_answer, reject) => {
        const end = () => reject(new Refusal("DEADLINE_EXCEEDED"));
        signal?.addEventListener("abort", end);
        const method = Object.entries(service.method).find(([own]) => own === name)?.[1];
        // A note of a SCIM request is no part of its answer
        if (name === "logRequests") return reject(new Refusal("LOG_UNAVAILABLE"));
        if (method === undefined) throw new Error(`${service.typeName} has no method "${name}"`);
        seen({ name, writes: hasSideEffects(method), signal, end });
      }),
  });
}

test("the body of a client that hung up while others were asked about its request is not waited for", async () => {
  const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = Promise.withResolvers<unknown>();
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    leaveMs: 0,
    clock: systemClock,
    logger: silentLogger,
    newRequestId: () => "id",
    async answer(request) {
      begun.resolve();
      await closed.promise;
      await request.readBody(limits.smallRequestBytesMax).then(ended.resolve, ended.resolve);
      return { status: 200, headers: [], body: "" };
    },
  });
  const { port } = new URL((await server.listen()).url);
  const client = connect(Number(port), "127.0.0.1", () => client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"));
  client.once("close", closed.resolve);
  await begun.promise;
  client.resume().end();
  expect(await ended.promise).toBeInstanceOf(ClientGone);
  await server.close();
});

test("a client that hangs up stops the reads that were made for it, and no write, on every route", async () => {
  const part = (service: DescService) => silent(service, (call) => calls.push(call));
  gateway = await startStubGateway({
    profile: part(ProfileService),
    subscription: part(SubscriptionService),
    messagingStatus: part(MessagingStatusService),
    scim: part(ScimService),
    content: part(ContentService),
    translations: part(TranslationService),
  });
  const stopped = new Set<string>();
  const wentOn = new Set<string>();
  for (const entry of entries) {
    const [example] = entry.examples;
    if (example === undefined) continue;
    const client = new AbortController();
    const [target, init] = exampleRequest(gateway.url, entry, example);
    let over = false;
    const answer = fetch(target, { ...init, signal: client.signal }).then(() => true, () => false).finally(() => over = true);
    await expect.poll(() => calls.length > 0 || over, { interval: 2, timeout: 15_000 }).toBe(true);
    const [call] = calls;
    client.abort();
    await answer;
    if (call === undefined) continue;
    // An unsubscribe is looked at before it is written, and done also for a mail server that does not wait
    if (call.writes || entry.route === "POST /unsubscribe/:token") {
      expect([entry.route, call.name, call.signal]).toEqual([entry.route, call.name, undefined]);
      wentOn.add(call.name);
    } else {
      await expect.poll(() => call.signal?.aborted, { message: `${entry.route} ${call.name}`, interval: 2, timeout: 15_000 }).toBe(true);
      stopped.add(call.name);
    }
    for (const { end } of calls.splice(0)) end();
  }
  expect([stopped.size > 15, wentOn.size > 15], [...stopped, "|", ...wentOn].join()).toEqual([true, true]);
  // No client is left to answer, and nothing failed
  expect(gateway.logged).toEqual([]);
});
