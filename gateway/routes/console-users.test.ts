/** A person is shown by what the profile service knows, whatever the parts that own consent answer. */
import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { type Reason, Refusal } from "../../platform/refusal.ts";
import { GetHistoryResponseSchema as OfMessages } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { InspectUsersResponseSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { GetHistoryResponseSchema as OfSubscriptions } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { startStubGateway, type StubGateway, type StubOptions } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(() => started?.gateway.close());

const profileJson = Buffer.from(JSON.stringify({ external_id: "ann", email: "ann@example.com" }));
const answering: Pick<StubOptions, "profile" | "subscription" | "messagingStatus"> = {
  profile: { inspectUsers: async () => create(InspectUsersResponseSchema, { users: [{ userId: "u-1", profileJson }] }) },
  subscription: { getHistory: async () => create(OfSubscriptions, { chains: 1 }) },
  messagingStatus: { getHistory: async () => create(OfMessages, { chains: 1 }) },
};

test("handleConsoleUsers() answers with the history of consent where both parts do", async () => {
  started = await startStubGateway(answering);
  const { status, body } = await started.post("/console/users", { external_id: "ann" });
  expect([status, body["users"]]).toMatchObject([200, [{ platform_id: "u-1", consent: [], consent_chains: { checked: 2, damage: [] } }]]);
});

test.each(["subscription", "messagingStatus"] as const)(
  "handleConsoleUsers() says that it is behind where the history of $0 is",
  async (part) => {
    const late = part === "subscription" ? create(OfSubscriptions, { behind: true }) : create(OfMessages, { behind: true });
    started = await startStubGateway({ ...answering, [part]: { getHistory: async () => late } });
    expect((await started.post("/console/users", { external_id: "ann" })).headers.get("x-heddle-read")).toBe("behind");
    await started.gateway.close();
    started = await startStubGateway(answering);
    expect((await started.post("/console/users", { external_id: "ann" })).headers.get("x-heddle-read")).toBeNull();
  },
);

const refused: readonly Reason[] = ["SERVICE_UNAVAILABLE", "STORE_UNAVAILABLE", "DEADLINE_EXCEEDED", "NOT_IMPLEMENTED"];
const parts = ["subscription", "messagingStatus"] as const;

test.each(parts.flatMap((part) => refused.map((reason) => ({ part, reason }))))(
  "handleConsoleUsers() answers without the history of consent where $part refuses $reason",
  async ({ part, reason }) => {
    started = await startStubGateway({ ...answering, [part]: { getHistory: () => Promise.reject(new Refusal(reason)) } });
    const { status, body } = await started.post("/console/users", { external_id: "ann" });
    expect(status).toBe(200);
    expect(body["users"]).toMatchObject([{ platform_id: "u-1", profile: { external_id: "ann" } }]);
    expect(body["users"]).not.toMatchObject([{ consent: expect.anything() as unknown }]);
  },
);

test("handleConsoleUsers() answers a fault of a part as a fault", async () => {
  started = await startStubGateway({ ...answering, subscription: { getHistory: () => Promise.reject(new Error("a defect")) } });
  expect((await started.post("/console/users", { external_id: "ann" })).status).toBe(500);
});
