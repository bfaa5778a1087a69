/** Declared subscription groups on their way from the declaration's rows to the service that owns them. */
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { readOptionalPeer } from "../platform/mesh-config.ts";
import type { Database } from "../platform/sqlite/database.ts";
import type { AccessAdmin } from "../gateway/access/admin.ts";
import { Channel as ChannelNumber, SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type Channel, declareGroups } from "../services/subscription/wire.ts";
import { CommandError } from "./output.ts";
import { readSettings } from "./settings.ts";

export interface GroupsPlace {
  /** Of the data folder; without it the subscription service is called, at HEDDLE_SUBSCRIPTION_URL. */
  readonly database: Database | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** Of every workspace; with `prune` groups that are no longer declared are archived. Doing it again changes nothing. */
export async function declareAllGroups(
  { database, env = process.env }: GroupsPlace,
  admin: Pick<AccessAdmin, "rows">,
  options: { readonly prune?: boolean } = {},
): Promise<void> {
  const declared = declaredIn(admin, options.prune ?? false);
  if (declared.length === 0) return;
  if (database === undefined) return await declareInMesh(env, declared);
  for (const { workspaceId, ...groups } of declared) await declareGroups(database, workspaceId, groups);
}

interface DeclaredGroups {
  readonly workspaceId: string;
  readonly groups: readonly { readonly id: string; readonly name: string; readonly channel: Channel }[];
  readonly prune: boolean;
}

function declaredIn(admin: Pick<AccessAdmin, "rows">, prune: boolean): DeclaredGroups[] {
  const { workspaces, declared } = admin.rows();
  const byWorkspace = Map.groupBy(declared.filter(({ kind }) => kind === "subscription_group"), ({ workspaceId }) => workspaceId);
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

async function declareInMesh(env: NodeJS.ProcessEnv, declared: readonly DeclaredGroups[]): Promise<void> {
  const peer = readSettings(env, (reader) => ({ subscription: readOptionalPeer(reader, "subscription") })).subscription;
  if (peer === undefined) {
    if (declared.every(({ groups }) => groups.length === 0)) return;
    throw new CommandError("Subscription groups are kept by the subscription service: set HEDDLE_SUBSCRIPTION_URL");
  }
  const { connectClient } = await import("../platform/rpc/client.ts");
  const { client, close } = connectClient(SubscriptionService, {
    ...peer,
    caller: "gateway",
    // The service itself says so where a declaration is not decided in time
    deadlineMs: limits.groupChangeWaitMsMax + limits.drainMsMax,
    clock: systemClock,
  });
  try {
    for (const { workspaceId, groups, prune } of declared) {
      const messages = groups.map(({ channel, ...group }) => ({ ...group, channel: channelNumbers[channel] }));
      await client.declareGroups({ scope: { workspaceId }, groups: messages, prune });
    }
  } finally {
    close();
  }
}

const channelNumbers: Readonly<Record<Channel, ChannelNumber>> = {
  email: ChannelNumber.EMAIL,
  sms: ChannelNumber.SMS,
  whatsapp: ChannelNumber.WHATSAPP,
  rcs: ChannelNumber.RCS,
  line: ChannelNumber.LINE,
};
