/** The lane of a service that owns consent, in one process: its reader, what reads wait for, and what waits for a human. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { Database } from "../sqlite/database.ts";
import type { TracedRecord } from "../telemetry/traced-records.ts";
import type { Tracer } from "../telemetry/tracer.ts";
import type { LaneWork } from "../telemetry/work-metrics.ts";
import { applyRows, type ApplyRowsParts } from "./apply-rows.ts";
import { openDrain, type Whose } from "./drain.ts";
import { openHeld } from "./held.ts";
import { type SetAsidePlace, skippable } from "./hold-back.ts";
import type { Lane, SetAside } from "./lane.ts";
import type { ReadRecord } from "./set-aside-sqlite.ts";
import { openSqliteLaneLag } from "./sqlite-lag.ts";

/** What a service keeps of its lane in the embedded store. */
export interface EmbeddedLaneTables {
  readonly lane: Lane;
  listSetAside(max: number): Promise<SetAside[]>;
  /** Records that wait for a human. */
  setAsideCount(): number;
  /** Puts what can be tried once more back into the lane; how many. */
  redriveSetAside(read: ReadRecord): Promise<number>;
  /** Forgets what waits at the place, and does the same. */
  skipSetAside(at: SetAsidePlace, read: ReadRecord): Promise<void>;
}

type Applying<Said, WorkspaceStep> = ApplyRowsParts<Said, WorkspaceStep>;

export interface EmbeddedLaneParts<Said extends TracedRecord, WorkspaceStep>
  extends Pick<Applying<Said, WorkspaceStep>, "takenFromRow" | "plan"> {
  /** As in "messaging-status"; and as a sentence begins with it. */
  readonly service: string;
  readonly title: string;
  readonly tables: EmbeddedLaneTables & Pick<Applying<Said, WorkspaceStep>, "waiting" | "commit">;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

export function openEmbeddedLane<Said extends TracedRecord, WorkspaceStep>(parts: EmbeddedLaneParts<Said, WorkspaceStep>) {
  const { service, title, tables, takenFromRow, plan, database, clock, logger, tracer } = parts;
  const lag = openSqliteLaneLag(database, service, clock);
  const work: LaneWork = { lags: async () => [await lag.read()], backlog: () => ({ setAside: tables.setAsideCount() }) };
  const { waiting, commit } = tables;
  const traced = { tracer, lane: service };
  const drain = openDrain({
    name: service,
    lane: tables.lane,
    concernOf(record) {
      const taken = takenFromRow(record);
      return { keys: taken.flatMap(({ keys }) => keys), isOfMany: taken.some(({ fannedOut }) => fannedOut) };
    },
    step: (turn) => applyRows({ waiting, commit, takenFromRow, plan, logger, traced }, turn),
    clock,
    logger,
  });
  const setAside = setAsideIn(tables, takenFromRow);
  return {
    /** What the service's RPCs ask of the lane. */
    asked: {
      /** As soon as what the lane holds now is applied, of these users or addresses; bounded. */
      caughtUp: (whose: Whose) => drain.drained(limits.consentWaitMs, whose),
      isHeld: openHeld({ waiting, clock, keepMs: 0 }),
      work,
      setAside: {
        ...setAside,
        async redriveSetAside() {
          const redriven = await setAside.redriveSetAside();
          drain.notify();
          return redriven;
        },
        async skipSetAside(at: SetAsidePlace) {
          await setAside.skipSetAside(at);
          drain.notify();
        },
      },
    },
    notify: () => drain.notify(),
    health() {
      const trouble = drain.trouble();
      if (trouble !== undefined) return { ready: false, reason: trouble };
      const count = tables.setAsideCount();
      return count === 0 ? { ready: true } : { ready: true, reason: `${title} records set aside: ${count}` };
    },
    settled: async () => void await drain.drained(Infinity),
    close() {
      lag.close();
      return drain.close();
    },
  };
}

/** What waits for a human, and its way back into the lane. */
export function setAsideIn(tables: Pick<EmbeddedLaneTables, "listSetAside" | "redriveSetAside" | "skipSetAside">, read: ReadRecord) {
  return {
    listSetAside: (max: number) => tables.listSetAside(max),
    redriveSetAside: () => tables.redriveSetAside(read),
    async skipSetAside(at: SetAsidePlace) {
      await tables.skipSetAside(skippable(await tables.listSetAside(limits.setAsideRedriveMax), at), read);
    },
  };
}
