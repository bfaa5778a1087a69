/** The two sides of a move, each with the rows of all services that take part in it, and the copying between them. */
import { systemClock } from "../platform/clock.ts";
import { readStreams } from "../platform/mesh-config.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { openMeshStatusMove, readMeshMessagingStatusStore } from "../services/messaging-status/mesh-wire.ts";
import { moveStatuses } from "../services/messaging-status/wire.ts";
import { openMeshProfileMove, readMeshProfileStore } from "../services/profile/mesh-wire.ts";
import { moveProfiles } from "../services/profile/wire.ts";
import { openMeshMembershipMove, readMeshSubscriptionStore } from "../services/subscription/mesh-wire.ts";
import { moveMemberships } from "../services/subscription/wire.ts";
import { CommandError } from "./output.ts";
import { readSettings } from "./settings.ts";

export interface MoveSide {
  readonly profiles: Awaited<ReturnType<typeof moveProfiles>>;
  readonly memberships: Awaited<ReturnType<typeof moveMemberships>>;
  readonly statuses: Awaited<ReturnType<typeof moveStatuses>>;
  /** What waits to be applied or for a human, in words. */
  waiting(): Promise<string[]>;
}

/** The database stays the caller's. */
export async function folderSide(database: Database): Promise<MoveSide> {
  return sideOf({
    profiles: await moveProfiles(database),
    memberships: await moveMemberships(database),
    statuses: await moveStatuses(database),
  });
}

/** Refuses STORE_UNAVAILABLE where Cassandra cannot be reached, and where its tables wait for `heddle migrate`. */
export async function meshSide(env: NodeJS.ProcessEnv): Promise<MoveSide & { close(): Promise<void> }> {
  const config = readSettings(env, (reader) => ({
    profile: { ...readMeshProfileStore(reader), partitions: readStreams(reader).partitions },
    subscription: readMeshSubscriptionStore(reader),
    messagingStatus: readMeshMessagingStatusStore(reader),
  }));
  const opened: (() => Promise<void>)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  async function kept<Move extends { close(): Promise<void> }>(opening: Promise<Move>): Promise<Move> {
    const move = await opening;
    opened.push(() => move.close());
    return move;
  }
  try {
    const profiles = await kept(openMeshProfileMove(config.profile, systemClock));
    const memberships = await kept(openMeshMembershipMove(config.subscription, systemClock));
    const statuses = await kept(openMeshStatusMove(config.messagingStatus, systemClock));
    return { ...sideOf({ profiles, memberships, statuses }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function sideOf(moves: Omit<MoveSide, "waiting">): MoveSide {
  const { profiles, memberships, statuses } = moves;
  return {
    ...moves,
    async waiting() {
      return [...await profiles.waiting(), ...await memberships.waiting(), ...await statuses.waiting()];
    },
  };
}

/** Everything of these workspaces; `through`: the log of the side that takes it goes on above. */
export async function copyMoved(
  from: MoveSide,
  to: MoveSide,
  { workspaceIds, through }: { readonly workspaceIds: ReadonlySet<string>; readonly through: number },
): Promise<void> {
  await copyLinkKeys(from, to);
  for await (const rows of from.profiles.read(workspaceIds)) await to.profiles.write(rows, through);
  for await (const rows of from.memberships.read(workspaceIds)) await to.memberships.write(rows);
  for await (const rows of from.statuses.read(workspaceIds)) await to.statuses.write(rows);
  for (const workspaceId of workspaceIds) {
    // Also where there is nobody yet, so that it is said how far the log is applied
    await to.profiles.write({ workspaceId }, through);
    const groups = await from.memberships.groups(workspaceId);
    if (groups.length > 0) await to.memberships.changeGroups(workspaceId, () => groups);
  }
}

/** Unsubscribe links that were sent stay good: keys keep their numbers, which links name. */
async function copyLinkKeys(from: MoveSide, to: MoveSide): Promise<void> {
  const keys = (await from.statuses.linkKeys.all()).toReversed();
  const there = (await to.statuses.linkKeys.all()).toReversed();
  for (const [at, key] of keys.entries()) {
    const known = there[at];
    if (known === undefined) await to.statuses.linkKeys.add(() => key, { unlessAny: false });
    else if (known.id !== key.id || !Buffer.from(known.bytes).equals(key.bytes)) {
      throw new CommandError("There are other keys of unsubscribe links already: name another HEDDLE_MESSAGING_STATUS_KEYSPACE");
    }
  }
}
