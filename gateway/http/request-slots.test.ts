/** Requests that need no key leave room for those with one. */
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { limits } from "../../platform/limits.ts";
import { TrackUsersResponseSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const closed = started?.gateway.close().then(() => true);
  await expect.poll(() => {
    // What lingers with an unread body does so until now
    started?.clock.advance(limits.lingerMs);
    return Promise.race([closed, false]);
  }).not.toBe(false);
  started = undefined;
});

/** Each a request of another link, whose body does not come. Resolves when all were sent. */
function openLinks(port: number, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, at) =>
    new Promise<void>((sent, reject) => {
      const begun = `POST /unsubscribe/link-${at} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`;
      const socket = connect(port, "127.0.0.1", () => socket.write(begun, () => sent()));
      socket.on("error", reject);
      sockets.push(socket);
    })));
}

/** Why a request of one more link is refused; null where it is not. */
async function reasonOfLink({ get }: StubGateway): Promise<string | null> {
  asked += 1;
  return (await get(`/unsubscribe/one-${asked}`)).headers.get("x-heddle-reason");
}

let asked = 0;

test("requests of links whose bodies do not come leave slots for requests with a key, and for pages of ours", async () => {
  const gateway = await startStubGateway({
    profile: { trackUsers: async () => create(TrackUsersResponseSchema, { attributesProcessed: 1 }) },
  });
  started = gateway;
  await openLinks(gateway.port, limits.requestsInFlightMax + 1);
  await expect.poll(() => reasonOfLink(gateway)).toBe("OVERLOADED");
  expect((await gateway.post("/users/track", {})).status).toBe(201);
  expect((await gateway.get("/livez")).status).toBe(200);
});

test("a request gives its place back with its answer", async () => {
  const gateway = await startStubGateway({ messagingStatus: {} });
  started = gateway;
  await openLinks(gateway.port, limits.linkRequestsInFlightMax);
  await expect.poll(() => reasonOfLink(gateway)).toBe("OVERLOADED");
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => reasonOfLink(gateway)).not.toBe("OVERLOADED");
});
