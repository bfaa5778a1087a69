/** What a handler learns of one of many calls that came together. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { CallSchema } from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import { fakeClock } from "../clock.fixture.ts";
import { SharedContext } from "./shared-context.ts";

test("its signal is aborted where the message of all calls was before it was looked at", () => {
  const caller = new AbortController();
  const context = new SharedContext({
    call: create(CallSchema),
    method: ProfileService.method.resolveUsers,
    workMs: 1_000,
    clock: fakeClock(),
    whole: { signal: caller.signal } as HandlerContext,
  });
  caller.abort();
  expect(context.signal.aborted).toBe(true);
});
