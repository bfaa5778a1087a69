/** The subscription groups of the workspace, for requests that set some: so that an unknown one is reported and not dropped in silence. */
import { Buffer } from "node:buffer";
import type { Call, Deps } from "../routing/route.ts";

/**
 * Absent where the body sets no groups, and where their owner cannot be asked: data goes on without it, and a group that is
 * unknown has no effect.
 */
export async function knownGroupsOf(
  { body, scope }: Pick<Call, "body" | "scope">,
  { subscription }: Pick<Deps, "subscription">,
): Promise<{ groups?: { ids: string[] } }> {
  if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes("subscription_group")) return {};
  try {
    const { groups } = await subscription.listGroups({ scope: { ...scope, idempotencyKey: "" } });
    return { groups: { ids: groups.map(({ id }) => id) } };
  } catch {
    return {};
  }
}
