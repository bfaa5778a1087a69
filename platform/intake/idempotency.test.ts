/** A repeat is known by the hashes that builds before made, too: a client may send it to either. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DeleteUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { keyHashOf, markOf, markOfMessage } from "./idempotency.ts";

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
  const mark = markOfMessage(DeleteUsersRequestSchema, message, { keepMs: 5 });
  expect(mark).toEqual({ keyHash: bytesOf(keyHash), bodyHash: bytesOf(bodyHash), keepMs: 5n });
  const other = { ...message, scope: { ...message.scope, requestId: "another" } as typeof message.scope };
  expect(markOfMessage(DeleteUsersRequestSchema, other, { keepMs: 5 })).toEqual(mark);
});

test("a key counts for its owner and route alone, and no key leaves no mark", () => {
  const hashes = [scope, { ...scope, actor: "key_2" }, { ...scope, route: "/users/merge" }].map((one) =>
    Buffer.from(keyHashOf(one)).toString("hex")
  );
  expect(hashes[0]).toBe(keyHash);
  expect(new Set(hashes).size).toBe(3);
  expect(markOf({ ...scope, idempotencyKey: "" }, new Uint8Array(), { keepMs: 5 })).toBeUndefined();
});

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}
