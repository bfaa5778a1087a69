/** The status of users' addresses, from the service that owns it. */
import type { Profile } from "./profile.ts";
import type { EmailStatus } from "./track-object.ts";

export interface EmailStatuses {
  /** The statuses that were ever set, by normalised address; sees everything that the caller has waited for. */
  load(workspaceId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, EmailStatus>>;
}

const nothing: ReadonlyMap<string, EmailStatus> = new Map();

/** Asks only where the answer shows: for users with an email, when the field is among those wanted (none: all are). */
export async function statusesOf(
  { emailStatuses }: { readonly emailStatuses: EmailStatuses },
  profiles: readonly Profile[],
  { workspaceId, fields = [] }: { readonly workspaceId: string; readonly fields?: readonly string[] },
): Promise<ReadonlyMap<string, EmailStatus>> {
  if (fields.length > 0 && !fields.includes("email_subscribe")) return nothing;
  const addresses = new Set(profiles.flatMap(({ email }) => email ?? []));
  return addresses.size === 0 ? nothing : emailStatuses.load(workspaceId, [...addresses]);
}

/** The option of renderProfile() for one of them. */
export function statusOf(statuses: ReadonlyMap<string, EmailStatus>, { email }: Profile): { readonly emailSubscribe?: EmailStatus } {
  const status = email === null ? undefined : statuses.get(email);
  return status === undefined ? {} : { emailSubscribe: status };
}
