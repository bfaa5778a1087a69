/** The email status of users: that of the address, from the service that owns it; that which waits for an address, of the user. */
import type { Asker } from "./catch-up.ts";
import type { Profile } from "../profile/profile.ts";
import type { UserRow } from "../identity/identity.ts";
import type { IdentityStore } from "../ports.ts";
import { type RenderOptions, renderProfile } from "./render-profile.ts";
import type { EmailStatus, JsonObject } from "../record/track-object.ts";
import type { UserId } from "../record/user-key.ts";
import { userRowKey } from "../identity/user-names.ts";

export interface EmailStatuses {
  /** Sees everything that the caller has waited for, or reports that it is behind. */
  load(asker: Asker, addresses: readonly string[]): Promise<FoundStatuses>;
}

export interface FoundStatuses {
  /** Those that were ever set, by normalised address. */
  readonly statuses: ReadonlyMap<string, EmailStatus>;
  /** Not everything that was answered before is in them. */
  readonly behind: boolean;
}

/** Where no service owns statuses, or none is asked for. */
export const noStatuses: FoundStatuses = { statuses: new Map(), behind: false };

/** Of users without an email: what they were given waits in their rows for an address. */
export type WaitingStatuses = ReadonlyMap<UserId, EmailStatus>;

export interface StatusDeps {
  readonly emailStatuses: EmailStatuses;
  readonly identities: Pick<IdentityStore, "load">;
}

interface RenderRequest extends Asker, Omit<RenderOptions, "emailSubscribe"> {
  /** Given by callers who have read the rows of the users. */
  readonly waiting?: WaitingStatuses;
  readonly signal?: AbortSignal;
}

/** Users as clients read them. Asks for statuses only where the answer shows them: when the field is among those wanted (none: all are). */
export async function renderUsers(
  { emailStatuses, identities }: StatusDeps,
  profiles: readonly Profile[],
  { waiting, signal, ...asked }: RenderRequest,
): Promise<{ readonly users: readonly JsonObject[]; readonly behind: boolean }> {
  const { fields = [], workspaceId } = asked;
  if (fields.length > 0 && !fields.includes("email_subscribe")) {
    return { users: profiles.map((profile) => renderProfile(profile, asked)), behind: false };
  }
  const addresses = new Set(profiles.flatMap(({ email }) => email ?? []));
  const waits = waiting ?? await waitingOf(identities, workspaceId, profiles.filter(({ email }) => email === null));
  const { statuses, behind } = addresses.size === 0 ? noStatuses : await emailStatuses.load(asked, [...addresses]);
  signal?.throwIfAborted();
  const users = profiles.map((profile) => {
    const emailSubscribe = profile.email === null ? waits.get(profile.id) : statuses.get(profile.email);
    return renderProfile(profile, emailSubscribe === undefined ? asked : { ...asked, emailSubscribe });
  });
  return { users, behind };
}

/** What waits in rows that were read. */
export function waitingIn(rows: readonly UserRow[]): WaitingStatuses {
  return new Map(rows.flatMap(({ id, heldEmailStatus }) => heldEmailStatus === undefined ? [] : [[id, heldEmailStatus] as const]));
}

async function waitingOf(identities: StatusDeps["identities"], workspaceId: string, users: readonly Profile[]): Promise<WaitingStatuses> {
  if (users.length === 0) return new Map();
  const rows = await identities.load(workspaceId, users.map(({ id }) => userRowKey(id)));
  return waitingIn([...rows.values()] as UserRow[]);
}
