/** The email status of users: that of the address, from the service that owns it; that which waits for an address, of the user. */
import type { Asker } from "./catch-up.ts";
import type { Profile } from "./profile.ts";
import type { UserRow } from "./identity.ts";
import type { IdentityStore } from "./ports.ts";
import type { EmailStatus } from "./track-object.ts";
import type { UserId } from "./user-key.ts";
import { userRowKey } from "./user-names.ts";

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

export interface UserStatuses extends FoundStatuses {
  readonly waiting: WaitingStatuses;
}

export interface StatusParts {
  readonly emailStatuses: EmailStatuses;
  readonly identities: Pick<IdentityStore, "load">;
}

/**
 * Asks only where the answer shows: when the field is among those wanted (none: all are). `waiting` is given by callers who
 * have read the rows of the users.
 */
export async function statusesOf(
  { emailStatuses, identities }: StatusParts,
  profiles: readonly Profile[],
  asked: Asker & { readonly fields?: readonly string[]; readonly waiting?: WaitingStatuses },
): Promise<UserStatuses> {
  const { fields = [], workspaceId } = asked;
  if (fields.length > 0 && !fields.includes("email_subscribe")) return { ...noStatuses, waiting: new Map() };
  const addresses = new Set(profiles.flatMap(({ email }) => email ?? []));
  const waiting = asked.waiting ?? await waitingOf(identities, workspaceId, profiles.filter(({ email }) => email === null));
  return { ...addresses.size === 0 ? noStatuses : await emailStatuses.load(asked, [...addresses]), waiting };
}

/** What waits in rows that were read. */
export function waitingIn(rows: readonly UserRow[]): WaitingStatuses {
  return new Map(rows.flatMap(({ id, heldEmailStatus }) => heldEmailStatus === undefined ? [] : [[id, heldEmailStatus] as const]));
}

async function waitingOf(identities: StatusParts["identities"], workspaceId: string, users: readonly Profile[]): Promise<WaitingStatuses> {
  if (users.length === 0) return new Map();
  const rows = await identities.load(workspaceId, users.map(({ id }) => userRowKey(id)));
  return waitingIn([...rows.values()] as UserRow[]);
}

/** The option of renderProfile() for one of them. */
export function statusOf({ statuses, waiting }: UserStatuses, { id, email }: Profile): { readonly emailSubscribe?: EmailStatus } {
  const status = email === null ? waiting.get(id) : statuses.get(email);
  return status === undefined ? {} : { emailSubscribe: status };
}
