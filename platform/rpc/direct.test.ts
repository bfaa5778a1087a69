/** Calls inside one process: as over the wire, without the wire. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ProfileService, TrackUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { fakeClock } from "../clock.fixture.ts";
import { Refusal } from "../refusal.ts";
import { directClient } from "./direct.ts";

describe("directClient()", () => {
  test("makes whole messages of what goes in and comes out", async () => {
    let seen: unknown;
    const client = directClient(ProfileService, {
      trackUsers(request) {
        seen = request;
        return {};
      },
    });
    const response = await client.trackUsers({});
    expect(seen).toEqual(create(TrackUsersRequestSchema));
    expect(response.$typeName).toBe("heddle.profile.v1.TrackUsersResponse");
  });

  test("hands a message on as it is", async () => {
    const request = create(TrackUsersRequestSchema);
    let seen: unknown;
    const client = directClient(ProfileService, {
      trackUsers(received) {
        seen = received;
        return {};
      },
    });
    await client.trackUsers(request);
    expect(seen).toBe(request);
  });

  test("lets refusals and faults through unchanged, thrown or rejected", async () => {
    const refusal = new Refusal("NOTHING_VALID", "text", { errors: [1] });
    const fault = new Error("fault");
    const client = directClient(ProfileService, {
      trackUsers: () => Promise.reject(refusal),
      exportUsers: () => {
        throw fault;
      },
    });
    await expect(client.trackUsers({})).rejects.toBe(refusal);
    await expect(client.exportUsers({})).rejects.toBe(fault);
  });

  test("refuses NOT_IMPLEMENTED where the implementation has no such method", async () => {
    await expect(directClient(ProfileService, {}).trackUsers({})).rejects.toMatchObject({ reason: "NOT_IMPLEMENTED" });
  });

  test("gives the implementation its context, headers and all", async () => {
    let context: HandlerContext | undefined;
    const client = directClient(ProfileService, {
      trackUsers(_, given) {
        context = given;
        given.responseHeader.set("x", "y");
        return {};
      },
    });
    await client.trackUsers({}, { headers: { "x-request-id": "r1" }, timeoutMs: 5_000 });
    expect(context?.requestHeader.get("x-request-id")).toBe("r1");
    expect(context?.method.name).toBe("TrackUsers");
    expect(context?.service).toBe(ProfileService);
    expect(context?.signal.aborted).toBe(false);
    expect(context?.timeoutMs()).toSatisfy((left: number) => left > 4_000 && left <= 5_000);
    expect(context?.url).toBe("direct:/heddle.profile.v1.ProfileService/TrackUsers");
  });

  test("keeps `this` of an implementation that is a class", async () => {
    class Service {
      calls = 0;
      trackUsers() {
        this.calls += 1;
        return {};
      }
    }
    const service = new Service();
    await directClient(ProfileService, service).trackUsers({});
    expect(service.calls).toBe(1);
  });

  test("refuses DEADLINE_EXCEEDED when the time is over, and tells the implementation", async () => {
    const clock = fakeClock();
    let signal: AbortSignal | undefined;
    const client = directClient(
      ProfileService,
      {
        trackUsers(_, context) {
          signal = context.signal;
          return new Promise<never>(() => {});
        },
      },
      clock,
    );
    const call = client.trackUsers({}, { timeoutMs: 100 });
    clock.advance(99);
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    await expect(call).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    expect(signal?.aborted).toBe(true);
  });

  test("refuses DEADLINE_EXCEEDED when the caller gives up, also before the call", async () => {
    let calls = 0;
    const client = directClient(ProfileService, {
      trackUsers() {
        calls += 1;
        return new Promise<never>(() => {});
      },
    });
    const controller = new AbortController();
    const call = client.trackUsers({}, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    await expect(client.trackUsers({}, { signal: controller.signal })).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    expect(calls).toBe(1);
  });
});
