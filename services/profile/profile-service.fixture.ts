/** A profile service on a database of its own, for tests: requests in short, exports as objects. */
import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { type Clock, fakeClock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log/log.ts";
import { openSqliteLog } from "../../platform/log/sqlite.ts";
import { type Logger, silentLogger } from "../../platform/logger.ts";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import * as profile from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { openProfile, type ProfileOptions, type ProfilePart } from "./wire.ts";

export interface TestOptions extends Partial<Pick<ProfileOptions, "steps" | "undoWindowMs">> {
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
  scope(key?: string): MessageInitShape<typeof profile.ScopeSchema>;
  track(body: object, key?: string): Promise<profile.TrackUsersResponse>;
  /** The user of an external id as clients see it, undefined where there is none. */
  user(externalId: string): Promise<ExportedUser | undefined>;
  call<In extends DescMessage, Out>(handler: (message: MessageShape<In>) => Out, schema: In, init: MessageInitShape<In>): Out;
  close(): Promise<void>;
}

export type ExportedUser = Readonly<Record<string, unknown>>;

export async function openTestProfile(options: TestOptions = {}): Promise<TestProfile> {
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
  });
  function call<In extends DescMessage, Out>(handler: (message: MessageShape<In>) => Out, schema: In, init: MessageInitShape<In>): Out {
    return handler(create(schema, init));
  }
  function scope(idempotencyKey = ""): MessageInitShape<typeof profile.ScopeSchema> {
    return { workspaceId: "workspace", actor: "key", route: "route", requestId: "request", idempotencyKey };
  }
  const service = part.service as unknown as Handlers;
  return {
    database,
    log,
    part,
    scope,
    call,
    track: (body, key) =>
      call(service.trackUsers, profile.TrackUsersRequestSchema, { scope: scope(key), bodyJson: Buffer.from(JSON.stringify(body)) }),
    async user(externalId) {
      const users = [{ key: { case: "externalId" as const, value: externalId } }];
      const answer = await call(service.exportUsers, profile.ExportUsersRequestSchema, { scope: scope(), users });
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

/** The handlers without the context that a server would add. */
export interface Handlers {
  trackUsers(message: profile.TrackUsersRequest): Promise<profile.TrackUsersResponse>;
  trackUsersSync(message: profile.TrackUsersSyncRequest): Promise<profile.TrackUsersSyncResponse>;
  exportUsers(message: profile.ExportUsersRequest): Promise<profile.ExportUsersResponse>;
  listUsers(message: profile.ListUsersRequest): Promise<profile.ListUsersResponse>;
  createAliases(message: profile.CreateAliasesRequest): Promise<profile.CreateAliasesResponse>;
  updateAliases(message: profile.UpdateAliasesRequest): Promise<profile.UpdateAliasesResponse>;
  mergeUsers(message: profile.MergeUsersRequest): Promise<profile.MergeUsersResponse>;
  previewMerge(message: profile.PreviewMergeRequest): Promise<profile.PreviewMergeResponse>;
  undoMerge(message: profile.UndoMergeRequest): Promise<profile.UndoMergeResponse>;
  getMergeStatus(message: profile.GetMergeStatusRequest): Promise<profile.GetMergeStatusResponse>;
  identifyUsers(message: profile.IdentifyUsersRequest): Promise<profile.IdentifyUsersResponse>;
  deleteUsers(message: profile.DeleteUsersRequest): Promise<profile.DeleteUsersResponse>;
  renameExternalIds(message: profile.RenameExternalIdsRequest): Promise<profile.RenameExternalIdsResponse>;
  removeExternalIds(message: profile.RemoveExternalIdsRequest): Promise<profile.RemoveExternalIdsResponse>;
  reportSession(message: profile.ReportSessionRequest): Promise<profile.ReportSessionResponse>;
  reportEngagement(message: profile.ReportEngagementRequest): Promise<profile.ReportEngagementResponse>;
}
