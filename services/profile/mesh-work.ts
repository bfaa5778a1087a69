/** What a process of the mesh reports of its work: how far the intake can be read, and what waits for a human in all of the mesh. */
import type { Clock } from "../../platform/clock.ts";
import { type BacklogLook, openBacklogLook } from "../../platform/lane/backlog-look.ts";
import type { Log } from "../../platform/log/log.ts";
import { createLagLook, openLagMeter } from "../../platform/telemetry/lag.ts";
import { openQuietTails } from "../../platform/telemetry/quiet-tail.ts";
import { watchLags } from "../../platform/telemetry/lag-history.ts";
import type { Backlog, WorkSource } from "../../platform/telemetry/work-metrics.ts";
import type { Applied } from "./domain/ports.ts";
import { countBacklog } from "./intake/redriven.ts";
import type { CassandraProfileStore } from "./store/cassandra.ts";

export type ProfileBacklog = BacklogLook<Backlog>;

/** Looks at what waits; `store` are the tables through which this process changes it. */
export function openProfileBacklog(
  tables: CassandraProfileStore,
  clock: Clock,
): { readonly backlog: ProfileBacklog; readonly store: CassandraProfileStore } {
  const backlog = openBacklogLook(() => countBacklog(tables.profiles), clock);
  return { backlog, store: noticing(tables, backlog) };
}

/** The store, calling `changed` after each write that changes the lists of what waits. */
function noticing(
  { identities, profiles }: CassandraProfileStore,
  { changed }: ProfileBacklog,
): CassandraProfileStore {
  return {
    identities: {
      ...identities,
      setAside: (records) => identities.setAside(records).finally(changed),
      forgetSetAside: (place) => identities.forgetSetAside(place).finally(changed),
    },
    profiles: {
      ...profiles,
      save: (changes) => changes.blocked.size === 0 ? profiles.save(changes) : profiles.save(changes).finally(changed),
    },
  };
}

/** How far this process has heard that the intake can be read, and what waits for a human in all of the mesh. */
export function meshWork(
  { intake, applied, backlog }: { readonly intake: Log; readonly applied: Applied; readonly backlog: ProfileBacklog },
  clock: Clock,
): WorkSource & { close(): void } {
  const tails = openQuietTails(intake, clock);
  const looks = Array.from({ length: intake.partitions }, (_, partition) =>
    createLagLook({
      lane: `intake-${partition}`,
      tail: () => tails.tail(partition),
      applied: () => applied.through({ partition, sequence: 0 }),
    }, clock));
  const watched = watchLags(looks.map((look) => openLagMeter(look, clock)), clock);
  return {
    ...watched,
    backlog: () => backlog.backlog(),
    close() {
      tails.close();
      watched.close();
    },
  };
}
