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
  if (!mayNameGroups(Buffer.from(body.buffer, body.byteOffset, body.byteLength))) return {};
  try {
    const { groups } = await subscription.listGroups({ scope: { ...scope, idempotencyKey: "" } });
    return { groups: { ids: groups.map(({ id }) => id) } };
  } catch {
    return {};
  }
}

/** As far as the bytes say, without being parsed: a letter that they escape may be one of the name. */
function mayNameGroups(body: Buffer): boolean {
  return body.includes("subscription_group") || escapesLetter(body);
}

const escape = "\\u00";

/** The letters of the name are U+005F to U+0075: other escapes, as many clients write é, say nothing. */
function escapesLetter(body: Buffer): boolean {
  for (let at = body.indexOf(escape); at !== -1; at = body.indexOf(escape, at + 1)) {
    const digit = String.fromCharCode(body[at + escape.length] ?? 0);
    if (digit === "5" || digit === "6" || digit === "7") return true;
  }
  return false;
}
