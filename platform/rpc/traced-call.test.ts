/** The caller's side of a trace: a span around each call, whose child the other side's is, and what it says of the way. */
import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { ScopeSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { noMetrics } from "../telemetry/metrics.ts";
import { type EndedSpan, noTracer, openTracer, type Tracer } from "../telemetry/tracer.ts";
import { callPart, type Implementation, keepingLogger, servePart } from "./part.fixture.ts";
import { tracedCall } from "./traced-call.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const scope = { workspaceId: "ws-1", requestId: "r-1", traceparent };

function recorder(): { readonly spans: EndedSpan[]; readonly tracer: Tracer } {
  const spans: EndedSpan[] = [];
  return { spans, tracer: openTracer({ clock: systemClock, take: (span) => spans.push(span), sample: () => true }) };
}

async function joined(implementation: Implementation, { shared = [], before = [] }: { shared?: string[]; before?: string[] } = {}) {
  const [at, from] = [recorder(), recorder()];
  const logger = keepingLogger();
  const server = await servePart(implementation, { telemetry: { metrics: noMetrics, tracer: at.tracer }, logger });
  const { client, close } = callPart([...before, server.url], { shared, tracer: from.tracer });
  closing.push(() => server.close(0), close);
  return { client, server, logger, served: at.spans, called: from.spans };
}

/** A port where no server listens. */
async function deadUrl(): Promise<string> {
  const server = await servePart({});
  await server.close();
  return server.url;
}

for (const shared of [[], ["trackUsers"]]) {
  describe(`a call ${shared.length === 0 ? "alone" : "shared"}`, () => {
    test("is a client span between the request and the span of the other side", async () => {
      let seen = "";
      const { client, server, served, called } = await joined({
        trackUsers({ scope }) {
          seen = scope?.traceparent ?? "";
          return {};
        },
      }, { shared });
      await client.trackUsers({ scope });
      const method = "heddle.profile.v1.ProfileService/TrackUsers";
      expect(called).toMatchObject([{ traceId, parentSpanId: "b7ad6b7169203331", name: method, kind: "client", failed: false }]);
      expect(called[0]?.attributes).toEqual({
        "rpc.system.name": "connectrpc",
        "rpc.method": method,
        "server.address": "127.0.0.1",
        "server.port": server.port,
        "heddle.rpc.attempts": 1,
      });
      expect(served).toMatchObject([{ traceId, parentSpanId: called[0]?.spanId, name: method, kind: "server" }]);
      expect(seen).toContain(served[0]?.spanId);
    });

    test("that is refused says the reason and the code", async () => {
      const { client, called } = await joined({
        trackUsers() {
          throw new Refusal("NOT_FOUND");
        },
      }, { shared });
      await expect(client.trackUsers({ scope })).rejects.toMatchObject({ reason: "NOT_FOUND" });
      expect(called).toMatchObject([{
        failed: true,
        attributes: { "error.type": "NOT_FOUND", "rpc.response.status_code": "not_found", "heddle.rpc.attempts": 1 },
      }]);
    });

    test("that fails is a fault, and the log of the other side has the ids of its request", async () => {
      const { client, called, logger } = await joined({
        trackUsers() {
          throw new Error("secret");
        },
      }, { shared });
      await expect(client.trackUsers({ scope })).rejects.toThrow("The call failed at the other side");
      expect(called).toMatchObject([{ failed: true, attributes: { "error.type": "FAULT", "rpc.response.status_code": "internal" } }]);
      expect(logger.lines).toMatchObject([["error", "rpc_fault", { message: "secret" }, { requestId: "r-1", traceId }]]);
    });

    test("counts its attempts, and names the process that answered", async () => {
      const { client, server, served, called } = await joined({ trackUsers: () => ({}) }, { shared, before: [await deadUrl()] });
      await client.trackUsers({ scope });
      expect(called).toMatchObject([{ failed: false, attributes: { "server.port": server.port, "heddle.rpc.attempts": 2 } }]);
      expect(served).toHaveLength(1);
    });

    test("that finds nobody is one span with all its attempts", async () => {
      const { tracer, spans } = recorder();
      const { client, close } = callPart([await deadUrl()], { shared, tracer });
      closing.push(close);
      await expect(client.trackUsers({ scope })).rejects.toMatchObject({ reason: "SERVICE_UNAVAILABLE" });
      expect(spans).toMatchObject([{
        failed: true,
        attributes: { "error.type": "SERVICE_UNAVAILABLE", "server.address": "127.0.0.1", "heddle.rpc.attempts": limits.rpcAttemptsMax },
      }]);
    });

    test("of a request that is not recorded makes no span", async () => {
      const { client, served, called } = await joined({ trackUsers: () => ({}) }, { shared });
      await client.trackUsers({ scope: { ...scope, traceparent: "" } });
      await client.trackUsers({});
      await client.trackUsers({ scope: { ...scope, traceparent: `00-${traceId}-b7ad6b7169203331-00` } });
      expect([called, served]).toEqual([[], []]);
    });
  });
}

test("where nothing is recorded, a call is the call itself", () => {
  const call = () => Promise.reject(new Error("Nobody calls"));
  expect(tracedCall(call, noTracer)).toBe(call);
});

test("calls on behalf of one request are siblings: the scope that they are given stays as it is", async () => {
  const { client, called } = await joined({ exportUsers: () => ({}), trackUsers: () => ({}) });
  const given = create(ScopeSchema, scope);
  await client.exportUsers({ scope: given });
  await client.trackUsers({ scope: given });
  expect(called.map(({ parentSpanId }) => parentSpanId)).toEqual(["b7ad6b7169203331", "b7ad6b7169203331"]);
  expect(given.traceparent).toBe(traceparent);
});
