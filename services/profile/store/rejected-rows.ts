/** A rejected user as a row: the names by which it is known, cut to what each process can remember, and why. */
import { limits } from "../../../platform/limits.ts";
import type { RejectedUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";

/** Undefined where the user is not rejected. */
export function rejectedToRow({ rejected, externalId, aliases }: Profile): string | undefined {
  if (rejected === undefined) return undefined;
  return JSON.stringify({ externalId, aliases: aliases.slice(0, limits.rejectedAliasesMax), ...rejected });
}

export function rejectedFromRow(workspaceId: string, id: string, body: unknown): RejectedUser {
  return { workspaceId, id, ...JSON.parse(String(body)) as Omit<RejectedUser, "workspaceId" | "id"> };
}
