/** Declared subscription groups on their way from the declaration's rows to the service that owns them. */
import type { AccessAdmin } from "../gateway/access/sqlite.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { type Channel, declareGroups } from "../services/subscription/wire.ts";

/** Of every workspace; with `prune` groups that are no longer declared are archived. Doing it again changes nothing. */
export async function declareAllGroups(database: Database, admin: AccessAdmin, options: { readonly prune?: boolean } = {}): Promise<void> {
  const { workspaces, declared } = admin.rows();
  const groups = Map.groupBy(declared.filter(({ kind }) => kind === "subscription_group"), ({ workspaceId }) => workspaceId);
  for (const { id } of workspaces) {
    const rows = groups.get(id) ?? [];
    if (rows.length === 0 && !options.prune) continue;
    await declareGroups(database, id, {
      groups: rows.map((row) => ({ id: row.id, name: row.content["name"] ?? "", channel: row.content["channel"] as Channel })),
      prune: options.prune ?? false,
    });
  }
}
