/** Names of one user in an event: as many as a message holds, and whether there were more. */
import { limits } from "../../../../platform/limits.ts";
import type { UserRow } from "./identity.ts";
import type { Alias } from "../record/user-key.ts";

/** Names under which a user is not found any more. */
export interface GoneNames {
  /** The last one first, then former ones. */
  readonly externalIds?: readonly string[];
  readonly emails?: readonly string[];
  readonly phones?: readonly string[];
  readonly aliases?: readonly Alias[];
  /** There were more than are named here. */
  readonly more?: true;
}

/** Counts what is named of one user. */
export class NameRoom {
  isFull = false;
  #names = 0;
  #chars = 0;

  /** False where there is no more room; from then on nothing more is named. */
  take(chars: number): boolean {
    if (this.isFull) return false;
    this.isFull = this.#names + 1 > limits.eventNamesMax || this.#chars + chars > limits.eventNamesCharsMax;
    if (this.isFull) return false;
    this.#names += 1;
    this.#chars += chars;
    return true;
  }
}

/** All names of a user who is deleted. */
export function namesOf({ externalId, deprecatedIds, email, phone, aliases }: UserRow): GoneNames {
  return bounded({
    externalIds: externalId === null ? deprecatedIds : [externalId, ...deprecatedIds],
    emails: email === null ? [] : [email],
    phones: phone === null ? [] : [phone],
    aliases,
  });
}

/** What the source of a merge was called that the target is not: `moved` went to the target, and so did addresses that it did not have. */
export function namesLost(source: UserRow, target: UserRow, moved: readonly Alias[]): GoneNames {
  const keepsEmail = target.email === null || target.email === source.email;
  const keepsPhone = target.phone === null || target.phone === source.phone;
  return namesOf({
    ...source,
    email: keepsEmail ? null : source.email,
    phone: keepsPhone ? null : source.phone,
    aliases: source.aliases.filter((alias) => !moved.includes(alias)),
  });
}

function bounded({ externalIds, emails, phones, aliases }: Required<Omit<GoneNames, "more">>): GoneNames {
  const room = new NameRoom();
  function fits(name: string): boolean {
    return room.take(name.length);
  }
  const some = {
    externalIds: externalIds.filter(fits),
    emails: emails.filter(fits),
    phones: phones.filter(fits),
    aliases: aliases.filter(({ label, name }) => room.take(label.length + name.length)),
  };
  return {
    ...(some.externalIds.length > 0 && { externalIds: some.externalIds }),
    ...(some.emails.length > 0 && { emails: some.emails }),
    ...(some.phones.length > 0 && { phones: some.phones }),
    ...(some.aliases.length > 0 && { aliases: some.aliases }),
    ...(room.isFull && { more: true }),
  };
}
