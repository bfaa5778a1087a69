/** Where a user's rows lie: with others of its bucket, or by themselves. The id alone decides it. */
import type { Statement, Value } from "../../../platform/cassandra/session.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { usersAlone, usersTogether, type UserTables } from "./statements.ts";

export interface UserRowLocation {
  readonly tables: UserTables;
  readonly key: Readonly<Record<string, Value>>;
  /** Undefined: the user lies alone. */
  readonly bucket: number | undefined;
  /** Of Cassandra: rows of equal ones are written together. */
  readonly partition: string;
}

/** Undefined: the user lies alone. */
export type BucketOf = (workspaceId: string, id: UserId) => number | undefined;

export function locationOf(workspaceId: string, id: UserId, bucketOf: BucketOf): UserRowLocation {
  const bucket = bucketOf(workspaceId, id);
  if (bucket === undefined) {
    return { tables: usersAlone, key: { workspace_id: workspaceId, user_id: id }, bucket, partition: `${workspaceId} ${id}` };
  }
  return {
    tables: usersTogether,
    key: { workspace_id: workspaceId, bucket, user_id: id },
    bucket,
    partition: `${workspaceId} ${bucket}`,
  };
}

export function statementAt(cql: string, { key }: UserRowLocation, values: Readonly<Record<string, Value>> = {}): Statement {
  return { cql, values: { ...key, ...values } };
}
