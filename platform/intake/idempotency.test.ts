/** A repeat is known by the hashes that builds before made, too: a client may send it to either. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DeleteUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { idempotencyHashesOf, idempotencyOf, idempotencyOfMessage, keyHashOf, sha256 } from "./idempotency.ts";

const scope = {
  workspaceId: "w",
  requestId: "r",
  actor: "key_1",
  route: "/users/delete",
  idempotencyKey: "again",
  readAfter: "",
  traceparent: "",
};
const keyHash = "acd4c281c51a5710738d82b724fc61c8283ce8a9a5862627b810113f5900d3dc";
const bodyHash = "3ec9c45f5c61d9bdddd1f4283c18cbba01cfdd978add77bf7bdb712ab7c705e9";

test("markOfMessage() gives the hashes of the key and of all that is asked, whoever asks", () => {
  const message = create(DeleteUsersRequestSchema, { scope, users: [{ key: { key: { case: "externalId", value: "ann" } } }] });
  const idempotency = idempotencyOfMessage(DeleteUsersRequestSchema, message, { keepMs: 5 });
  expect(idempotency).toEqual({ keyHash: bytesOf(keyHash), bodyHash: bytesOf(bodyHash), keepMs: 5n });
  const other = { ...message, scope: { ...message.scope, requestId: "another" } as typeof message.scope };
  expect(idempotencyOfMessage(DeleteUsersRequestSchema, other, { keepMs: 5 })).toEqual(idempotency);
});

test("what the gateway says was sent goes along, beside the hash that the build before makes", () => {
  const sentHash = sha256("sent");
  const message = create(DeleteUsersRequestSchema, {
    scope: { ...scope, sentHash },
    users: [{ key: { key: { case: "externalId", value: "ann" } } }],
  });
  expect(idempotencyOfMessage(DeleteUsersRequestSchema, message, { keepMs: 5 })).toMatchObject({ bodyHash: bytesOf(bodyHash), sentHash });
  const hashes = { requestHash: keyHash, bodyHash, sentHash: Buffer.from(sentHash).toString("hex") };
  expect(idempotencyHashesOf(DeleteUsersRequestSchema, message)).toEqual(hashes);
  const ofBefore = { ...message, scope: { ...message.scope, sentHash: new Uint8Array() } as typeof message.scope };
  expect(idempotencyHashesOf(DeleteUsersRequestSchema, ofBefore)).toEqual({ requestHash: keyHash, bodyHash });
});

test("where the message has the body as it was sent there is one hash", () => {
  const body = Buffer.from("{}");
  expect(idempotencyOf(scope, body, { keepMs: 5 })).toEqual(idempotencyOf({ ...scope, sentHash: sha256(body) }, body, { keepMs: 5 }));
});

test("a key counts for its owner and route alone, and no key leaves no mark", () => {
  const hashes = [scope, { ...scope, actor: "key_2" }, { ...scope, route: "/users/merge" }].map((one) =>
    Buffer.from(keyHashOf(one)).toString("hex")
  );
  expect(hashes[0]).toBe(keyHash);
  expect(new Set(hashes).size).toBe(3);
  expect(idempotencyOf({ ...scope, idempotencyKey: "" }, new Uint8Array(), { keepMs: 5 })).toBeUndefined();
});

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}
