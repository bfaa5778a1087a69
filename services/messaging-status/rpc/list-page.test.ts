/** What a store is asked for where a message has numbers that it could not compare. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AddressFilterSchema } from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { listPage } from "./list-page.ts";
import type { ListFilter } from "../domain/ports.ts";

test("times and places beyond what a store can hold are the last that it can", async () => {
  const asked: ListFilter[] = [];
  const deps = {
    barrier: { ask: () => () => Promise.resolve(true) },
    profile: { resolveUsers: () => Promise.resolve({ behind: false }) },
    isBlocked: () => Promise.resolve(false),
    store: { list: (_workspace: string, _list: string, filter: ListFilter) => (asked.push(filter), Promise.resolve([])) },
  };
  const filter = create(AddressFilterSchema, { from: -(2n ** 63n), to: 2n ** 63n - 1n, offset: 2 ** 32 - 1 });
  const of = { scope: { workspaceId: "w" }, list: "rejected", signal: new AbortController().signal };
  await listPage(deps as never, of as never, filter);
  expect(asked).toMatchObject([{ from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }]);
  const [{ offset, limit } = { offset: 0, limit: 0 }] = asked;
  expect(offset + limit).toBeLessThan(2 ** 31);
});
