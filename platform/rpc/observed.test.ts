/** What is seen of calls within the process, and what a message says of its request. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { OpenPreferencePageRequestSchema } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { ExportUsersRequestSchema, ProfileService, ScopeSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { systemClock } from "../clock.ts";
import { noMetrics } from "../telemetry/metrics.ts";
import { type EndedSpan, openTracer } from "../telemetry/tracer.ts";
import { directClient } from "./direct.ts";
import { observedService } from "./observed.ts";
import { logIdsOf, traceparentOf, withTraceparent } from "./request-trace.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

test("calls within the process on behalf of one request are siblings: the scope that they are given stays as it is", async () => {
  const spans: EndedSpan[] = [];
  const seen: string[] = [];
  const tracer = openTracer({ clock: systemClock, take: (span) => spans.push(span), sample: () => true });
  const implementation = {
    exportUsers(request: { readonly scope?: { readonly traceparent: string } | undefined }) {
      seen.push(request.scope?.traceparent ?? "");
      return {};
    },
  };
  const client = directClient(ProfileService, observedService(ProfileService, implementation, { metrics: noMetrics, tracer }));
  const scope = create(ScopeSchema, { workspaceId: "ws-1", traceparent });
  await client.exportUsers({ scope });
  await client.exportUsers({ scope });
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(["b7ad6b7169203331", "b7ad6b7169203331"]);
  expect(seen.map((each) => each.slice(36, 52))).toEqual(spans.map(({ spanId }) => spanId));
  expect(scope.traceparent).toBe(traceparent);
});

test("a message has the ids of its request in its scope, or beside the link that it has in place of one", () => {
  const scoped = create(ExportUsersRequestSchema, { scope: { requestId: "r-1", traceparent } });
  const linked = create(OpenPreferencePageRequestSchema, { token: "t", requestId: "r-2", traceparent });
  const other = traceparent.replace("b7ad", "c7ad");
  for (const [message, requestId] of [[scoped, "r-1"], [linked, "r-2"]] as const) {
    expect(traceparentOf(message)).toBe(traceparent);
    expect(logIdsOf(message)).toEqual({ requestId, traceId });
    const changed = withTraceparent(message, other);
    expect([traceparentOf(changed), logIdsOf(changed), traceparentOf(message)]).toEqual([other, { requestId, traceId }, traceparent]);
  }
  expect([traceparentOf({}), logIdsOf({}), logIdsOf({ scope: { traceparent: "no trace" } })]).toEqual(["", {}, {}]);
});
