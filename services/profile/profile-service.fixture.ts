/** A profile service on a database of its own, for tests: requests in short, exports as objects. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { afterEach } from "vitest";
import type { Clock } from "../../platform/clock.ts";
import { fakeClock } from "../../platform/clock.fixture.ts";
import type { Log } from "../../platform/log/log.ts";
import { openSqliteLog } from "../../platform/log/sqlite.ts";
import { type Logger, silentLogger } from "../../platform/logger.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import * as profile from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { openProfile, type ProfileOptions, type ProfilePart } from "./wire.ts";

interface TestOptions extends Partial<Pick<ProfileOptions, "steps" | "resolve" | "undoWindowMs">> {
  readonly path?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly partitions?: number;
  /** Wraps what the service is given. */
  readonly database?: (database: Database) => Database;
  readonly log?: (log: Log) => Log;
}

export interface TestProfile {
  readonly database: Database;
  readonly log: Log;
  readonly part: ProfilePart;
  readonly client: Client<typeof profile.ProfileService>;
  scope(key?: string): MessageInitShape<typeof profile.ScopeSchema>;
  track(body: object, key?: string): Promise<profile.TrackUsersResponse>;
  /** The user of an external id as clients see it, undefined where there is none. */
  user(externalId: string): Promise<ExportedUser | undefined>;
  close(): Promise<void>;
}

type ExportedUser = Readonly<Record<string, unknown>>;

async function openTestProfile(options: TestOptions = {}): Promise<TestProfile> {
  const clock = options.clock ?? fakeClock();
  const database = openDatabase({ path: options.path ?? ":memory:" });
  const given = options.database?.(database) ?? database;
  const log = await openSqliteLog({ database, partitions: options.partitions ?? 1, clock });
  const part = await openProfile({
    database: given,
    log: options.log?.(log) ?? log,
    clock,
    logger: options.logger ?? silentLogger,
    undoWindowMs: options.undoWindowMs ?? 7 * 24 * 3600 * 1000,
    ...(options.steps && { steps: options.steps }),
    ...(options.resolve && { resolve: options.resolve }),
  });
  function scope(idempotencyKey = ""): MessageInitShape<typeof profile.ScopeSchema> {
    return { workspaceId: "workspace", actor: "key", route: "route", requestId: "request", idempotencyKey };
  }
  const client = directClient(profile.ProfileService, part.service);
  return {
    database,
    log,
    part,
    client,
    scope,
    track: (body, key) => client.trackUsers({ scope: scope(key), bodyJson: Buffer.from(JSON.stringify(body)) }),
    async user(externalId) {
      const users = [{ key: { case: "externalId" as const, value: externalId } }];
      const answer = await client.exportUsers({ scope: scope(), users });
      const [json] = answer.usersJson;
      return json === undefined ? undefined : JSON.parse(Buffer.from(json).toString());
    },
    async close() {
      await part.close();
      await log.close();
      await database.close();
    },
  };
}

/** Opens services that are closed after the test that opened them, whatever became of it. */
export function testProfiles(): TestProfiles {
  const opened: TestProfile[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((profile) => profile.close()));
  });
  return {
    async open(options) {
      const profile = await openTestProfile(options);
      opened.push(profile);
      return profile;
    },
    async close(profile) {
      opened.splice(opened.indexOf(profile), 1);
      await profile.close();
    },
  };
}

export interface TestProfiles {
  open(options?: TestOptions): Promise<TestProfile>;
  close(profile: TestProfile): Promise<void>;
}

export function event(id: string, name = "seen"): object {
  return { external_id: id, name, time: "2025-01-01T00:00:00Z" };
}

/** Merges by external ids; resolves with the job id. */
export async function mergeUsers(profile: TestProfile, source: string, target: string): Promise<string> {
  const updates = [{ source: externalId(source), target: externalId(target) }];
  return (await profile.client.mergeUsers({ scope: profile.scope(), updates })).jobId;
}

export function externalId(value: string) {
  return { key: { key: { case: "externalId" as const, value } } };
}

/** Rows of users that say more of them than a mark. */
export const usersKnown = "profile_profiles WHERE identity IS NOT NULL OR body IS NOT NULL";

export function rowsIn({ database }: TestProfile, table: string): number {
  return Number(database.handle.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
}
