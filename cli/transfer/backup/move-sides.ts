/** The two sides of a move, each with the rows of all services that take part in it. */
import { systemClock } from "../../../platform/clock.ts";
import { readStore, readStreams } from "../../../platform/mesh-config.ts";
import { openAll } from "../../../platform/open-all.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { openMeshContentMove } from "../../../services/content/mesh-wire.ts";
import { moveContent } from "../../../services/content/wire.ts";
import { openMeshStatusMove } from "../../../services/messaging-status/mesh-wire.ts";
import { moveStatuses } from "../../../services/messaging-status/wire.ts";
import { openMeshProfileMove } from "../../../services/profile/mesh-wire.ts";
import { moveProfiles } from "../../../services/profile/wire.ts";
import { openMeshScimMove } from "../../../services/scim/mesh-wire.ts";
import { moveDashboardUsers } from "../../../services/scim/wire.ts";
import { openMeshMembershipMove } from "../../../services/subscription/mesh-wire.ts";
import { moveMemberships } from "../../../services/subscription/wire.ts";
import { readSettings } from "../../target/settings.ts";

export interface MoveSide {
  readonly profiles: Awaited<ReturnType<typeof moveProfiles>>;
  readonly memberships: Awaited<ReturnType<typeof moveMemberships>>;
  readonly statuses: Awaited<ReturnType<typeof moveStatuses>>;
  readonly dashboardUsers: Awaited<ReturnType<typeof moveDashboardUsers>>;
  readonly content: Awaited<ReturnType<typeof moveContent>>;
  /** What a server that runs would apply, in words; empty for the mesh, whose logs say it. */
  unapplied(): string[];
  /** What waits for a human, in words. */
  waiting(): Promise<string[]>;
}

/** The database stays the caller's. */
export async function folderSide(database: Database): Promise<MoveSide> {
  return sideOf({
    profiles: await moveProfiles(database),
    memberships: await moveMemberships(database),
    statuses: await moveStatuses(database, systemClock),
    dashboardUsers: await moveDashboardUsers(database, systemClock),
    content: await moveContent(database, systemClock),
  });
}

/** Refuses STORE_UNAVAILABLE where Cassandra cannot be reached, and where its tables wait for `heddle migrate`. */
export async function meshSide(env: NodeJS.ProcessEnv): Promise<MoveSide & { close(): Promise<void> }> {
  const config = readSettings(env, (reader) => ({
    profile: { ...readStore(reader, "profile"), partitions: readStreams(reader).partitions },
    subscription: readStore(reader, "subscription"),
    messagingStatus: readStore(reader, "messaging-status"),
    scim: readStore(reader, "scim"),
    content: readStore(reader, "content"),
  }));
  return await openAll(async (opened) => {
    async function kept<Move extends { close(): Promise<void> }>(opening: Promise<Move>): Promise<Move> {
      const move = await opening;
      opened.push(() => move.close());
      return move;
    }
    const profiles = await kept(openMeshProfileMove(config.profile, systemClock));
    const memberships = await kept(openMeshMembershipMove(config.subscription, systemClock));
    const statuses = await kept(openMeshStatusMove(config.messagingStatus, systemClock));
    const dashboardUsers = await kept(openMeshScimMove(config.scim, systemClock));
    const content = await kept(openMeshContentMove(config.content, systemClock));
    return sideOf({ profiles, memberships, statuses, dashboardUsers, content });
  });
}

function sideOf(moves: Omit<MoveSide, "unapplied" | "waiting">): MoveSide {
  const { profiles, memberships, statuses } = moves;
  return {
    ...moves,
    unapplied: () => profiles.unapplied?.() ?? [],
    async waiting() {
      return [...await profiles.waiting(), ...await memberships.waiting(), ...await statuses.waiting()];
    },
  };
}
