/** Bugs that systems of this kind really have, planted by a switch, to see that the histories find them. */
import type { StatementSync } from "node:sqlite";
import type { Log } from "../../platform/log/log.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { Profile } from "../../services/profile/domain/profile/profile.ts";
import { copyProfile } from "../../services/profile/domain/merge/merge-profiles.ts";
import { applyRecord } from "../../services/profile/domain/profile/apply-records.ts";
import { freeze } from "../../services/profile/domain/merge/apply-merge.ts";
import type { ProfileOptions } from "../../services/profile/wire.ts";

export const plants = ["ack-before-commit", "mark-before-effect", "lost-update-in-merge"] as const;
export type Plant = "" | (typeof plants)[number];

export interface Planted {
  log(log: Log): Log;
  database(database: Database): Database;
  readonly steps: NonNullable<ProfileOptions["steps"]>;
}

export function planted(plant: Plant): Planted {
  return {
    log: plant === "ack-before-commit" ? answersEarly : (log) => log,
    database: plant === "mark-before-effect" ? marksFirst : (database) => database,
    steps: plant === "lost-update-in-merge" ? staleFreeze() : {},
  };
}

const lateMs = 30;

/** Answers with the sequence the record will have, and writes it a little later. */
function answersEarly(log: Log): Log {
  let promised = 0;
  return {
    ...boundTo(log),
    async append(partition, record, priority) {
      const tail = await log.tail(partition);
      promised = Math.max(promised, tail) + 1;
      const sequence = promised;
      setTimeout(() => void log.append(partition, record, priority).catch(() => undefined), lateMs);
      return sequence;
    },
  };
}

function boundTo(log: Log): Log {
  return {
    partitions: log.partitions,
    append: (...args) => log.append(...args),
    tail: (...args) => log.tail(...args),
    read: (...args) => log.read(...args),
    watch: (...args) => log.watch(...args),
    trim: (...args) => log.trim(...args),
    close: () => log.close(),
  };
}

/** Commits the checkpoint in one transaction and what it stands for in a later one. */
function marksFirst(database: Database): Database {
  return {
    handle: database.handle,
    prepare: (sql) => database.prepare(sql),
    durable: () => database.durable(),
    close: () => database.close(),
    async write(work) {
      const later: (() => void)[] = [];
      const prepare = database.prepare.bind(database);
      const deferring = (sql: string): StatementSync => {
        const statement = prepare(sql);
        if (/checkpoint/i.test(sql) || !/^\s*(INSERT|UPDATE|DELETE|REPLACE)/i.test(sql)) return statement;
        const run = (...args: Parameters<StatementSync["run"]>) => {
          later.push(() => void statement.run(...args));
          return { changes: 0, lastInsertRowid: 0 };
        };
        return Object.create(statement, { run: { value: run } }) as StatementSync;
      };
      const self = this as { prepare: Database["prepare"] };
      const result = await database.write(() => {
        self.prepare = deferring;
        try {
          return work();
        } finally {
          self.prepare = prepare;
        }
      });
      if (later.length > 0) setTimeout(() => void database.write(() => later.forEach((run) => run())).catch(() => undefined), lateMs);
      return result;
    },
  };
}

/** Freezes the source as it was one record earlier: the update in between is lost in the merge. */
function staleFreeze(): Planted["steps"] {
  const before = new Map<string, Profile>();
  return {
    applyRecord(profile, record) {
      if (profile && (record.change.type === "event" || record.change.type === "attributes")) before.set(profile.id, copyProfile(profile));
      else before.delete(record.userId);
      return applyRecord(profile, record);
    },
    freeze: ({ source, target }, awaiting) => freeze({ source: before.get(source.id) ?? source, target }, awaiting),
  };
}
