/** /users/track and its variants: bytes in, the answers that clients know out. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import {
  type TrackUsersRequest,
  TrackUsersResponseSchema,
  TrackUsersSyncResponseSchema,
} from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ProfileStub, startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";
import { trackReply } from "./users-track.ts";

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
  started = undefined;
});

async function start(profile: ProfileStub): Promise<StubGateway> {
  started = await startStubGateway({ profile });
  return started;
}

function tracking(response: MessageInitShape<typeof TrackUsersResponseSchema> = {}): { profile: ProfileStub; calls: TrackUsersRequest[] } {
  const calls: TrackUsersRequest[] = [];
  const profile = {
    trackUsers: async (request: unknown) => {
      calls.push(request as TrackUsersRequest);
      return create(TrackUsersResponseSchema, response);
    },
  };
  return { profile, calls };
}

test("handleUsersTrack() hands the body on byte for byte, whatever it is", async () => {
  const { profile, calls } = tracking();
  const { post } = await start(profile);
  for (const body of ['{"attributes":[{"external_id":"\\u00e9é","a":1e400}]} ', "not json", ""]) await post("/users/track", body);
  expect(calls.map(({ bodyJson }) => Buffer.from(bodyJson).toString("utf8"))).toEqual([
    '{"attributes":[{"external_id":"\\u00e9é","a":1e400}]} ',
    "not json",
    "",
  ]);
  expect(calls[0]).toMatchObject({ objectsPerArrayMax: 75, objectsMax: 0, objectsPerUserMax: 0, bulk: false });
});

test("the groups of the workspace are asked for where the body sets some, also where escapes write the name", async () => {
  const { profile, calls } = tracking();
  const listGroups = (async () => ({ groups: [{ id: "g-1" }] })) as unknown as Client<typeof SubscriptionService>["listGroups"];
  started = await startStubGateway({ profile, subscription: { listGroups } });
  const named = ['{"subscription_groups":[]}', '{"subscription_group_id":1}', '{"\\u0073ubscription_groups":[]}'];
  const escaped = ['{"subscription\\u005Fgroups":[]}', '{"subscription_grou\\u0070s":[]}', '{"\\u00e9":"\\u0073"}'];
  const others = ['{"attributes":[]}', '{"subscription":"\\n"}', '{"\\u00e9":"\\u2028\\u0041"}', "\\u00", "\\u", ""];
  for (const body of [...named, ...escaped, ...others]) await started.post("/users/track", body);
  const asked = [...[...named, ...escaped].map(() => ["g-1"]), ...others.map(() => undefined)];
  expect(calls.map(({ groups }) => groups?.ids)).toEqual(asked);
});

test("handleUsersTrackBulk() takes 1,000 objects, 100 a user, 2 MB", async () => {
  const { profile, calls } = tracking();
  const { post } = await start(profile);
  expect((await post("/users/track/bulk", "{}")).status).toBe(201);
  expect(calls[0]).toMatchObject({ objectsPerArrayMax: 0, objectsMax: 1_000, objectsPerUserMax: 100, bulk: true });
  const most = await post("/users/track/bulk", " ".repeat(limits.bulkRequestBytesMax));
  const more = await post("/users/track/bulk", " ".repeat(limits.bulkRequestBytesMax + 1));
  expect([most.status, more.status, limits.bulkRequestBytesMax]).toEqual([201, 413, 2 * 1024 * 1024]);
});

const error = { type: "'quantity' is not valid", inputArray: "purchases", index: 3 };
test.each([
  [{}, { message: "success" }],
  [{ attributesProcessed: 0 }, { attributes_processed: 0, message: "success" }],
  [{ attributesProcessed: 1, eventsProcessed: 2, purchasesProcessed: 3 }, {
    attributes_processed: 1,
    events_processed: 2,
    purchases_processed: 3,
    message: "success",
  }],
  [
    { eventsProcessed: 2, errors: [error] },
    { events_processed: 2, message: "success", errors: [{ type: "'quantity' is not valid", input_array: "purchases", index: 3 }] },
  ],
])("trackReply() %j", (response, body) => {
  const reply = trackReply(create(TrackUsersResponseSchema, response));
  expect(JSON.parse(String(reply.body))).toEqual(body);
});

test("trackReply() tells the position and that an answer is a repeat", async () => {
  const { post } = await start(tracking({ attributesProcessed: 1, position: "p-1", replayed: true }).profile);
  const { status, headers } = await post("/users/track", "{}");
  expect([status, headers.get("x-heddle-position"), headers.get("idempotency-replayed")]).toEqual([201, "p-1", "true"]);
});

test("handleUsersTrack() answers a fatal error with its text in message and errors", async () => {
  const { post } = await start({ trackUsers: () => Promise.reject(new Refusal("BATCH_TOO_LARGE", "Max Input Length Exceeded")) });
  const { status, body } = await post("/users/track", "{}");
  expect([status, body]).toEqual([400, { message: "Max Input Length Exceeded", errors: ["Max Input Length Exceeded"] }]);
});

test("handleUsersTrackSync() puts the service's users into the answer as they are", async () => {
  const users = ['{"external_id":"a","custom_attributes":{"n":1.0}}', '{"external_id":"é"}'];
  const { post } = await start({
    trackUsersSync: async () => create(TrackUsersSyncResponseSchema, { usersJson: users.map((user) => Buffer.from(user)), position: "p" }),
  });
  const answer = await post("/users/track/sync", "{}");
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ users: users.map((user) => JSON.parse(user)), message: "success" });
  expect(answer.headers.get("x-heddle-position")).toBe("p");
});

test("handleUsersTrackSync() answers no users where nobody was found", async () => {
  const { post } = await start({ trackUsersSync: async () => create(TrackUsersSyncResponseSchema, {}) });
  expect((await post("/users/track/sync", "{}")).body).toEqual({ users: [], message: "success" });
});
