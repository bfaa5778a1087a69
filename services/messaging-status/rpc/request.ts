/** What messages say of their caller and of addresses, and how long a read waits. */
import { normaliseEmail, normalisePhone } from "../../../platform/address.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

/** At least one, each in its one form: what is not would be a second state of the same address. Refuses INPUT_INVALID. */
export function emailsOf(emails: readonly string[]): string[] {
  return addresses(emails, { normalise: normaliseEmail, what: "email address" });
}

/** As emailsOf, for phone numbers in E.164. */
export function phonesOf(phones: readonly string[]): string[] {
  return addresses(phones, { normalise: normalisePhone, what: "phone number" });
}

function addresses(
  sent: readonly string[],
  { normalise, what }: { readonly normalise: (text: string) => string | undefined; readonly what: string },
): string[] {
  if (sent.length === 0) throw new Refusal("INPUT_INVALID", `At least one ${what} is required`);
  return sent.map((text, at) => {
    const address = normalise(text);
    if (address === undefined) throw new Refusal("INPUT_INVALID", `Expected an ${what} at place ${at}, got something else`);
    return address;
  });
}

/** Waits, bounded, until what was answered before the read is in; true where it answers without. */
export async function isLate(
  { profile, caught }: Pick<ServiceParts, "profile" | "caught">,
  scope: Scope,
  addresses: readonly string[] | "all",
): Promise<boolean> {
  const caughtUp = caught.ask(scope, addresses);
  const { behind } = await profile.resolveUsers({ scope });
  return !await caughtUp() || behind;
}
