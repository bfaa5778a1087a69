/** Subscription groups in the mesh: a workspace's groups are one row, changed on the condition that nobody else changed it. */
import type { Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Group } from "../domain/group.ts";
import type { MembershipStore } from "../domain/ports.ts";
import { putFirstGroups, putGroups, selectGroups } from "./statements.ts";

/** `changeGroups` refuses STATE_CONFLICT where others change the same groups again and again. */
export function cassandraGroups(session: Session): Pick<MembershipStore, "groups" | "changeGroups"> {
  async function read(workspaceId: string, serial: boolean): Promise<{ version: number; groups: Group[] }> {
    const statement = { cql: selectGroups, values: { workspace_id: workspaceId }, idempotent: true };
    const [row] = await session.execute(serial ? { ...statement, serial } : statement);
    if (row === undefined) return { version: 0, groups: [] };
    return { version: Number(row["version"]), groups: JSON.parse(String(row["body"])) as Group[] };
  }
  return {
    groups: async (workspaceId) => (await read(workspaceId, false)).groups,
    async changeGroups(workspaceId, plan) {
      for (let attempt = 1; attempt <= limits.groupChangeAttemptsMax; attempt += 1) {
        const { version, groups } = await read(workspaceId, true);
        const changed = new Map([...groups, ...plan(groups)].map((group) => [group.id, group]));
        const body = JSON.stringify([...changed.values()].sort((a, b) => (a.id < b.id ? -1 : 1)));
        const values = { workspace_id: workspaceId, version: version + 1, body };
        const statement = version === 0
          ? { cql: putFirstGroups, values, idempotent: false }
          : { cql: putGroups, values: { ...values, before: version }, idempotent: false };
        if (await session.conditional([statement])) return;
      }
      throw new Refusal("STATE_CONFLICT", "The subscription groups are being changed by others, try again");
    },
  };
}
