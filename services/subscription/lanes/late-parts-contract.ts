/** What one request says that has more parts than an age has places, on any store of the mesh: its last sets are in like its first. */
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordPublished } from "../../consent/lane/appliers.fixture.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { MembershipState } from "../domain/memberships.ts";
import type { openCassandraSubscriptionStore } from "../store/cassandra.ts";
import { applyMessages } from "./apply-messages.ts";

const sharers = 10_500;
const groups = Array.from({ length: limits.subscriptionGroupsPerObjectMax }, (_, at) => {
  return { id: `g${at}`, name: `G${at}`, channel: "email" as const, archived: false, turns: [0] };
});
/** Of the sharers the last, as one record of the lane has them. */
const users = Array.from({ length: limits.laneUsersPerRecordMax }, (_, at) => `u${at}`);

export interface LatePartsDriver {
  readonly store: ReturnType<typeof openCassandraSubscriptionStore>;
  close(): Promise<void>;
}

/** What an object of the request says of these users, a record a group; the objects before it were as large. */
function said(sequence: number, state: MembershipState, objectsBefore = 0): LaneBody[] {
  return groups.map(({ id }, at) => {
    const part = (objectsBefore * groups.length + at) * sharers + sharers - users.length;
    const cause = { sequence: BigInt(sequence), part, at: BigInt(sequence), requestId: `r${sequence}`, actor: "k" };
    const value = { subscriptionGroupId: id, state: stateToMessage(state), userIds: users, usersInAll: sharers };
    const record = { workspaceId: "w", userId: users[0] ?? "", cause, change: { case: "setMemberships" as const, value } };
    return { body: toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, record)), place: [sequence, at] };
  });
}

function stateToMessage(state: MembershipState): SubscriptionState {
  return state === "subscribed" ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
}

export function describeLateParts(name: string, open: () => Promise<LatePartsDriver>, hookMs?: number): void {
  describe(`a request about ${sharers} who share an email, in ${groups.length} groups: ${name}`, () => {
    let driver: LatePartsDriver;
    let seen: ReturnType<typeof recordPublished>;
    beforeEach(async () => {
      driver = await open();
      seen = recordPublished({});
    }, hookMs);
    afterEach(() => driver.close());

    function apply(bodies: readonly LaneBody[]): Promise<void> {
      const deps = { ...driver.store, store: { groups: () => Promise.resolve(groups) }, logger: silentLogger };
      return applyMessages({ ...deps, traced: { lane: "subscription-0" }, publish: seen.publish }, bodies);
    }
    async function statesOf(user: string): Promise<(string | undefined)[]> {
      const own = (await driver.store.store.load("w", [user])).get(user)?.groups;
      return groups.map(({ id }) => own?.get(id));
    }
    const all = (state: MembershipState) => groups.map(() => state);

    test("each of its sets is in, and the chain of each user whole", async () => {
      for (const one of said(7, "subscribed")) await apply([one]);
      for (const user of users) expect(await statesOf(user)).toEqual(all("subscribed"));
      expect(await driver.store.verify("w")).toMatchObject({ damage: undefined });
      expect(seen.published.size).toBe(users.length * groups.length);
    });

    test("what a later object of it says holds, and what the next request says after that", async () => {
      for (const one of said(7, "subscribed")) await apply([one]);
      await apply(said(7, "unsubscribed", 1));
      expect(await statesOf("u3")).toEqual(all("unsubscribed"));
      await apply(said(8, "subscribed").slice(0, 40));
      expect(await statesOf("u3")).toEqual([...all("subscribed").slice(0, 40), ...all("unsubscribed").slice(40)]);
      expect(await driver.store.verify("w")).toMatchObject({ damage: undefined });
    });

    test("whoever applies the end of it once more, in other batches, changes nothing", async () => {
      const bodies = said(7, "subscribed");
      await apply(bodies);
      const history = await driver.store.history("w", "u3");
      await apply(bodies.slice(-3));
      expect(await statesOf("u3")).toEqual(all("subscribed"));
      expect(await driver.store.history("w", "u3")).toEqual(history);
    });
  });
}
