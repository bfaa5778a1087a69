/** Declared subscription groups on their way from the declaration's rows to the service that owns them. */
import { systemClock } from "../../platform/clock.ts";
import { numbersOf } from "../../platform/enum-names.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { Client } from "@connectrpc/connect";
import type { Workspace } from "../../gateway/access/access.ts";
import type { AccessAdmin } from "../../gateway/access/admin/admin.ts";
import type { Declaration } from "../../gateway/access/declaration/declaration.ts";
import { planDeclaration } from "../../gateway/access/declare/declare.ts";
import { withWrites } from "../../gateway/access/row-set.ts";
import type { AccessRows } from "../../gateway/access/rows.ts";
import { Channel, SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type PartTarget, withOptionalPart } from "../target/called-part.ts";
import { subscriptionIn } from "../target/consent-target.ts";
import { workspacePath } from "../target/data-folder.ts";
import { CommandError } from "../shell/output.ts";

/** Of every workspace; with `prune` groups that are no longer declared are archived. Doing it again changes nothing. */
export async function declareAllGroups(
  target: PartTarget,
  admin: Pick<AccessAdmin, "rows">,
  { prune }: { readonly prune: boolean },
): Promise<void> {
  const declared = declaredIn(admin.rows(), prune);
  if (declared.length === 0) return;
  await withGroups({ ...target, isNeeded: declared.some(({ groups }) => groups.length > 0) }, async (client) => {
    for (const { workspace, groups } of declared) await client.declareGroups({ scope: { workspaceId: workspace.id }, groups, prune });
  });
}

/**
 * At a start, on which nothing is declared: makes those declared groups that subscription does not know at all, as a process leaves
 * them that was killed before it made them. What was done to the others since stays. Groups that there is no room for are logged.
 */
export async function declareUnknownGroups(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  admin: Pick<AccessAdmin, "rows">,
): Promise<void> {
  const declared = declaredIn(admin.rows(), false);
  if (declared.length === 0) return;
  const client = await subscriptionIn(database);
  for (const { workspace, groups } of declared) {
    const scope = { workspaceId: workspace.id };
    const known = new Set((await client.listGroups({ scope })).groups.map(({ id }) => id));
    const unknown = groups.filter(({ id }) => !known.has(id));
    if (unknown.length === 0) continue;
    try {
      await client.declareGroups({ scope, groups: unknown });
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "STATE_CONFLICT") throw error;
      logger.warn("groups_not_declared", { workspaceId: workspace.id, message: error.message });
    }
  }
}

/**
 * Before anything is written: the service that owns the groups is there and would take them, beside those that were made elsewhere.
 */
export async function checkGroups(
  target: PartTarget,
  admin: Pick<AccessAdmin, "rows">,
  { file, prune }: { readonly file: Declaration; readonly prune: boolean },
): Promise<void> {
  const before = admin.rows();
  const after = withWrites(before, planDeclaration(before, file, { now: systemClock.now(), prune }).writes);
  const isNeeded = [...before.declared, ...after.declared].some(isGroup);
  const declared = declaredIn(after, prune);
  if (declared.length === 0) return;
  const problems: string[] = [];
  await withGroups({ ...target, isNeeded }, async (client) => {
    for (const { workspace, groups } of declared) {
      const own = new Set(groups.map(({ id }) => id));
      const { groups: there } = await client.listGroups({ scope: { workspaceId: workspace.id } }).catch(noneWhereUnknown);
      const others = there.filter(({ id, archived }) => !prune && !archived && !own.has(id));
      const count = own.size + others.length;
      if (count <= limits.subscriptionGroupsPerWorkspaceMax) continue;
      problems.push(
        `The workspace ${workspacePath(after, workspace)} would have ${count} subscription groups, ${others.length} of them made elsewhere`,
      );
    }
  });
  if (problems.length === 0) return;
  throw new CommandError(
    `${problems.join("\n")}\nThere may be ${limits.subscriptionGroupsPerWorkspaceMax} that are not archived. ` +
      "Nothing was changed: with --prune those that the file does not name are archived",
  );
}

/** Of a workspace that is not there yet. */
function noneWhereUnknown(error: unknown): { groups: never[] } {
  if (error instanceof Refusal && error.reason === "NOT_FOUND") return { groups: [] };
  throw error;
}

function isGroup({ kind }: { readonly kind: string }): boolean {
  return kind === "subscription_group";
}

interface DeclaredGroups {
  readonly workspace: Workspace;
  readonly groups: { readonly id: string; readonly name: string; readonly channel: Channel }[];
}

function declaredIn({ workspaces, declared }: AccessRows, prune: boolean): DeclaredGroups[] {
  const byWorkspace = Map.groupBy(declared.filter(isGroup), ({ workspaceId }) => workspaceId);
  return workspaces.map((workspace) => ({
    workspace,
    groups: (byWorkspace.get(workspace.id) ?? []).map(({ id, content }) => ({
      id,
      name: content["name"] ?? "",
      channel: channels.get(content["channel"]) ?? Channel.UNSPECIFIED,
    })),
  })).filter(({ groups }) => groups.length > 0 || prune);
}

/** `isNeeded`: groups are declared, so that the service has to be there. */
async function withGroups(
  { database, env, isNeeded }: PartTarget & { readonly isNeeded: boolean },
  work: (client: Client<typeof SubscriptionService>) => Promise<void>,
): Promise<void> {
  if (database !== undefined) return await work(await subscriptionIn(database));
  const found = await withOptionalPart(SubscriptionService, { part: "subscription", env }, async (client) => {
    await work(client);
    return true;
  });
  if (found || !isNeeded) return;
  throw new CommandError("Subscription groups are kept by the subscription service: set HEDDLE_SUBSCRIPTION_URL. Nothing was changed");
}

const channels: ReadonlyMap<string | undefined, Channel> = new Map(Object.entries(numbersOf(Channel)));
