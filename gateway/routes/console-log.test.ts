/** What waits for a human is listed up to a bound of each list, and the answer says where one was reached. */
import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { GetStatusResponseSchema } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { ListSetAsideResponseSchema as OfMessages } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ListSetAsideResponseSchema as OfSubscriptions } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(() => started?.gateway.close());

const most = limits.heldRedriveMax;
const mostOfLane = limits.setAsidePageMax;

test.each([
  { waits: "nothing", more: false },
  { waits: "one less of each", held: most - 1, letters: most - 1, subscription: mostOfLane - 1, messages: mostOfLane - 1, more: false },
  { waits: "as many blocked users", held: most, more: true },
  { waits: "as many dead letters of the intake", letters: most, more: true },
  { waits: "as many of subscriptions", subscription: mostOfLane, more: true },
  { waits: "as many of messages", messages: mostOfLane, more: true },
])("handleConsoleLog() says whether more may wait: $waits", async ({ held = 0, letters = 0, subscription = 0, messages = 0, more }) => {
  started = await startStubGateway({
    permissions: ["console.view", "console.operate"],
    log: { getStatus: async () => create(GetStatusResponseSchema, { held: many(held), setAside: many(letters) }) },
    subscription: { listSetAside: async () => create(OfSubscriptions, { records: many(subscription) }) },
    messagingStatus: { listSetAside: async () => create(OfMessages, { records: many(messages) }) },
  });
  const { status, body } = await started.get("/console/log");
  expect(status).toBe(200);
  expect(body["blocked_users"]).toHaveLength(held);
  expect(body["dead_letters"]).toHaveLength(letters + subscription + messages);
  expect(body["more"]).toBe(more);
});

test.each([
  { may: "see bodies", permissions: ["console.operate", "console.bodies"], of: "ann@example.com" },
  { may: "operate alone", permissions: ["*", "console.operate"], of: undefined },
])(
  "handleConsoleLog() shows whose address a dead letter is about to those who may see what was sent: who may $may",
  async ({ permissions, of }) => {
    started = await startStubGateway({
      permissions,
      log: { getStatus: async () => create(GetStatusResponseSchema, {}) },
      subscription: { listSetAside: async () => create(OfSubscriptions, { records: [{ key: "platform-id" }] }) },
      messagingStatus: { listSetAside: async () => create(OfMessages, { records: [{ key: "ann@example.com" }] }) },
    });
    const { body } = await started.get("/console/log");
    const letter = { workspace_id: "", at: "0.0", reason: "" };
    expect(body["dead_letters"]).toEqual([
      { lane: "subscription", of: "platform-id", ...letter },
      { lane: "messaging-status", ...(of !== undefined && { of }), ...letter },
    ]);
  },
);

function many(length: number): { readonly reason: string }[] {
  return Array.from({ length }, () => ({ reason: "unread" }));
}
