/** The status of users' addresses, from the service that owns it. */
import type { Asker } from "./catch-up.ts";
import type { Profile } from "./profile.ts";
import type { EmailStatus } from "./track-object.ts";

export interface EmailStatuses {
  /** Sees everything that the caller has waited for, or says that it is behind. */
  load(asker: Asker, addresses: readonly string[]): Promise<FoundStatuses>;
}

export interface FoundStatuses {
  /** Those that were ever set, by normalised address. */
  readonly statuses: ReadonlyMap<string, EmailStatus>;
  /** Not everything that was answered before is in them. */
  readonly behind: boolean;
}

/** Where nobody owns statuses, or none is asked for. */
export const noStatuses: FoundStatuses = { statuses: new Map(), behind: false };

/** Asks only where the answer shows: for users with an email, when the field is among those wanted (none: all are). */
export async function statusesOf(
  { emailStatuses }: { readonly emailStatuses: EmailStatuses },
  profiles: readonly Profile[],
  asked: Asker & { readonly fields?: readonly string[] },
): Promise<FoundStatuses> {
  const { fields = [] } = asked;
  if (fields.length > 0 && !fields.includes("email_subscribe")) return noStatuses;
  const addresses = new Set(profiles.flatMap(({ email }) => email ?? []));
  return addresses.size === 0 ? noStatuses : emailStatuses.load(asked, [...addresses]);
}

/** The option of renderProfile() for one of them. */
export function statusOf({ statuses }: FoundStatuses, { email }: Profile): { readonly emailSubscribe?: EmailStatus } {
  const status = email === null ? undefined : statuses.get(email);
  return status === undefined ? {} : { emailSubscribe: status };
}
