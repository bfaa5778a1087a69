/** What every binding of service calls must do: direct, in-memory router and HTTP/2 pass the same suite. */
import { create } from "@bufbuild/protobuf";
import type { Client, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { type ProfileService, TrackUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { Refusal } from "../refusal.ts";

interface Binding {
  readonly client: Client<typeof ProfileService>;
  close(): Promise<void>;
}

export type OpenBinding = (implementation: Partial<ServiceImpl<typeof ProfileService>>) => Promise<Binding>;

/** `open` gives a client whose calls reach `implementation`. */
export function describeBinding(name: string, open: OpenBinding): void {
  describe(`binding of service calls: ${name}`, () => {
    const opened: Binding[] = [];
    afterEach(async () => {
      for (const binding of opened.splice(0)) await binding.close();
    });
    async function clientOf(implementation: Partial<ServiceImpl<typeof ProfileService>>): Promise<Client<typeof ProfileService>> {
      const binding = await open(implementation);
      opened.push(binding);
      return binding.client;
    }

    test("requests and answers are whole messages", async () => {
      let seen: unknown;
      const client = await clientOf({
        trackUsers(request) {
          seen = request;
          return { position: "p1", errors: [{ type: "t", inputArray: "events", index: 3 }] };
        },
      });
      const request = { scope: { workspaceId: "ws", requestId: "r" }, bodyJson: new Uint8Array([1, 2, 255]), bulk: true };
      const answer = await client.trackUsers(request);
      expect(seen).toMatchObject(create(TrackUsersRequestSchema, request));
      expect(answer).toMatchObject({ position: "p1", replayed: false, errors: [{ type: "t", inputArray: "events", index: 3 }] });
      expect(answer.attributesProcessed).toBeUndefined();
    });

    test("a refusal comes back with reason, text, errors and wait", async () => {
      const errors = [{ type: "'x' is not valid", input_array: "events", index: 0 }];
      const client = await clientOf({
        trackUsers: () => Promise.reject(new Refusal("NOTHING_VALID", "Nichts gültig, 無", { errors })),
        exportUsers: () => {
          throw new Refusal("LOG_FULL", undefined, { retryAfterSeconds: 7 });
        },
      });
      const refused = await rejection(client.trackUsers({}));
      expect(refused).toBeInstanceOf(Refusal);
      expect(refused).toMatchObject({ reason: "NOTHING_VALID", message: "Nichts gültig, 無", details: { errors } });
      expect(await rejection(client.exportUsers({}))).toMatchObject({ reason: "LOG_FULL", details: { retryAfterSeconds: 7 } });
    });

    test("a refusal may have as many errors as a bulk request has objects", async () => {
      const errors = Array.from({ length: 1_000 }, (_, index) => ({ type: "'quantity' is not valid", input_array: "purchases", index }));
      const client = await clientOf({ trackUsers: () => Promise.reject(new Refusal("NOTHING_VALID", "none", { errors })) });
      expect(await rejection(client.trackUsers({}))).toMatchObject({ details: { errors } });
    });

    test("a fault is no refusal", async () => {
      const client = await clientOf({ trackUsers: () => Promise.reject(new TypeError("x")) });
      const fault = await rejection(client.trackUsers({}));
      expect(fault).toBeInstanceOf(Error);
      expect(fault).not.toBeInstanceOf(Refusal);
    });

    test("a method that is not there is NOT_IMPLEMENTED", async () => {
      expect(await rejection((await clientOf({})).trackUsers({}))).toMatchObject({ reason: "NOT_IMPLEMENTED" });
    });

    test("headers reach the implementation, and so does the time that is left", async () => {
      let context: HandlerContext | undefined;
      const client = await clientOf({
        trackUsers(_, given) {
          context = given;
          return {};
        },
      });
      await client.trackUsers({}, { headers: { "x-request-id": "r1", traceparent: "00-a-b-01" }, timeoutMs: 5_000 });
      expect(context?.requestHeader.get("x-request-id")).toBe("r1");
      expect(context?.requestHeader.get("traceparent")).toBe("00-a-b-01");
      expect(context?.timeoutMs()).toBeGreaterThan(0);
      expect(context?.timeoutMs()).toBeLessThanOrEqual(5_000);
      expect(context?.method.name).toBe("TrackUsers");
    });

    test("a call that takes too long is DEADLINE_EXCEEDED, and its work hears of it", async () => {
      const aborted = Promise.withResolvers<void>();
      const client = await clientOf({
        trackUsers(_, { signal }) {
          signal.addEventListener("abort", () => aborted.resolve());
          return new Promise<never>(() => {});
        },
      });
      expect(await rejection(client.trackUsers({}, { timeoutMs: 100 }))).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
      await aborted.promise;
    });

    test("work that fails because it was told to stop is DEADLINE_EXCEEDED, no fault", async () => {
      const client = await clientOf({
        trackUsers: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
      });
      expect(await rejection(client.trackUsers({}, { timeoutMs: 100 }))).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    });

    test("a caller that gives up is refused DEADLINE_EXCEEDED", async () => {
      const begun = Promise.withResolvers<void>();
      const client = await clientOf({
        trackUsers() {
          begun.resolve();
          return new Promise<never>(() => {});
        },
      });
      const controller = new AbortController();
      const call = rejection(client.trackUsers({}, { signal: controller.signal }));
      await begun.promise;
      controller.abort();
      expect(await call).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
      expect(await rejection(client.trackUsers({}, { signal: controller.signal }))).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    });

    test("a body of 4 MiB goes through", async () => {
      const bodyJson = new Uint8Array(4 * 1024 * 1024).fill(120);
      const client = await clientOf({ trackUsers: (request) => ({ position: String(request.bodyJson.length) }) });
      expect(await client.trackUsers({ bodyJson })).toMatchObject({ position: String(bodyJson.length) });
    });

    test("of many calls at once each gets its own answer, and they begin in order", async () => {
      const begun: string[] = [];
      const client = await clientOf({
        async trackUsers({ scope }) {
          const id = scope?.requestId ?? "";
          begun.push(id);
          await Promise.resolve();
          if (id === "r7") throw new Refusal("INPUT_INVALID", id);
          return { position: id };
        },
      });
      const ids = Array.from({ length: 300 }, (_, at) => `r${at}`);
      const answers = await Promise.all(
        ids.map((requestId) =>
          client.trackUsers({ scope: { requestId } }).then(({ position }) => position, (error: Error) => error.message)
        ),
      );
      expect(answers).toEqual(ids);
      expect(begun).toEqual(ids);
    });

    test("a slow call does not hold back the ones beside it", async () => {
      const slow = Promise.withResolvers<Record<string, never>>();
      const client = await clientOf({ trackUsers: ({ scope }) => scope?.requestId === "slow" ? slow.promise : {} });
      const first = client.trackUsers({ scope: { requestId: "slow" } });
      await Promise.all(Array.from({ length: 20 }, () => client.trackUsers({})));
      await client.trackUsers({});
      slow.resolve({});
      await first;
    });
  });
}

async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(() => expect.fail("Expected a rejection"), (error: unknown) => error);
}
