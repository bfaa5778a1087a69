/** Declared subscription groups on their way from the declaration's rows to the service that owns them. */
import { limits } from "../platform/limits.ts";
import { Refusal } from "../platform/refusal.ts";
import type { Client } from "@connectrpc/connect";
import type { AccessAdmin } from "../gateway/access/admin.ts";
import type { Declaration } from "../gateway/access/declaration.ts";
import { Channel as ChannelNumber, SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type Channel, declareGroups } from "../services/subscription/wire.ts";
import { type PartPlace, withOptionalPart } from "./called-part.ts";
import { notYet, workspaceIdOf } from "./declare-messages.ts";
import { CommandError } from "./output.ts";

/** Of every workspace; with `prune` groups that are no longer declared are archived. Doing it again changes nothing. */
export async function declareAllGroups(
  { database, env }: PartPlace,
  admin: Pick<AccessAdmin, "rows">,
  options: { readonly prune?: boolean } = {},
): Promise<void> {
  const declared = declaredIn(admin, options.prune ?? false);
  if (declared.length === 0) return;
  if (database === undefined) return await declareInMesh(env, declared);
  for (const { workspaceId, ...groups } of declared) await declareGroups(database, workspaceId, groups);
}

/**
 * Before anything is written: the service that owns the groups is there and would take them.
 */
export async function checkGroups(
  { database, env }: PartPlace,
  admin: Pick<AccessAdmin, "rows">,
  { file, prune }: { readonly file: Declaration; readonly prune: boolean },
): Promise<void> {
  const isNamed = file.companies.some(({ workspaces }) => workspaces.some(({ items }) => items.some(isGroup)));
  const known = declaredIn(admin, prune);
  if (database !== undefined || (!isNamed && known.length === 0)) return;
  // A workspace that is not there yet has no groups
  const workspaceIds = [admin.rows().workspaces[0]?.id ?? notYet, ...known.map(({ workspaceId }) => workspaceId)];
  const isNeeded = isNamed || known.some(({ groups }) => groups.length > 0);
  await withGroups({ env, isNeeded }, async (client) => {
    for (const workspaceId of new Set(workspaceIds)) {
      const { groups: there } = await client.listGroups({ scope: { workspaceId } }).catch(noneWhereUnknown);
      const stay = prune
        ? 0
        : there.filter(({ id, archived }) => !archived && !known.some(({ groups }) => groups.some((one) => one.id === id))).length;
      const own = groupsAfter(admin, { file, prune, workspaceId });
      const max = limits.subscriptionGroupsPerWorkspaceMax;
      if (stay + own > max) {
        throw new CommandError(
          `The workspace ${workspaceId} would have ${
            stay + own
          } subscription groups, ${stay} of them made elsewhere; there may be ${max}. Nothing was changed`,
        );
      }
    }
  });
}

function noneWhereUnknown(error: unknown): { groups: never[] } {
  if (error instanceof Refusal && error.reason === "NOT_FOUND") return { groups: [] };
  throw error;
}

function isGroup({ kind }: { readonly kind: string }): boolean {
  return kind === "subscription_group";
}

/** How many the workspace has declared, once the file is applied. */
function groupsAfter(
  admin: Pick<AccessAdmin, "rows">,
  { file, prune, workspaceId }: { readonly file: Declaration; readonly prune: boolean; readonly workspaceId: string },
): number {
  const rows = admin.rows();
  const named = file.companies.flatMap((company) =>
    company.workspaces.filter((workspace) => workspaceIdOf(rows, { company, workspace }) === workspaceId).flatMap(({ items }) =>
      items.filter(isGroup)
    )
  );
  const before = prune ? [] : rows.declared.filter((row) => row.workspaceId === workspaceId && isGroup(row));
  const names = new Set([...before.map(({ content }) => content["name"] ?? ""), ...named.map(({ name }) => name)]);
  return names.size;
}

interface DeclaredGroups {
  readonly workspaceId: string;
  readonly groups: readonly { readonly id: string; readonly name: string; readonly channel: Channel }[];
  readonly prune: boolean;
}

function declaredIn(admin: Pick<AccessAdmin, "rows">, prune: boolean): DeclaredGroups[] {
  const { workspaces, declared } = admin.rows();
  const byWorkspace = Map.groupBy(declared.filter(isGroup), ({ workspaceId }) => workspaceId);
  return workspaces.map(({ id }) => ({
    workspaceId: id,
    groups: (byWorkspace.get(id) ?? []).map(({ id, content }) => ({
      id,
      name: content["name"] ?? "",
      channel: content["channel"] as Channel,
    })),
    prune,
  })).filter(({ groups }) => groups.length > 0 || prune);
}

async function declareInMesh(env: NodeJS.ProcessEnv | undefined, declared: readonly DeclaredGroups[]): Promise<void> {
  await withGroups({ env, isNeeded: declared.some(({ groups }) => groups.length > 0) }, async (client) => {
    for (const { workspaceId, groups, prune } of declared) {
      const messages = groups.map(({ channel, ...group }) => ({ ...group, channel: channelNumbers[channel] }));
      await client.declareGroups({ scope: { workspaceId }, groups: messages, prune });
    }
  });
}

/** `isNeeded`: groups are declared, so that the service has to be there. */
async function withGroups(
  { env, isNeeded }: { readonly env: NodeJS.ProcessEnv | undefined; readonly isNeeded: boolean },
  work: (client: Client<typeof SubscriptionService>) => Promise<void>,
): Promise<void> {
  const found = await withOptionalPart(SubscriptionService, { part: "subscription", env }, async (client) => {
    await work(client);
    return true;
  });
  if (found || !isNeeded) return;
  throw new CommandError("Subscription groups are kept by the subscription service: set HEDDLE_SUBSCRIPTION_URL. Nothing was changed");
}

const channelNumbers: Readonly<Record<Channel, ChannelNumber>> = {
  email: ChannelNumber.EMAIL,
  sms: ChannelNumber.SMS,
  whatsapp: ChannelNumber.WHATSAPP,
  rcs: ChannelNumber.RCS,
  line: ChannelNumber.LINE,
};
