/** Addresses of messages in the one form under which consent is kept: another spelling would be a second state of the same address. */
import { normaliseEmail, normalisePhone } from "../address.ts";
import { Refusal } from "../refusal.ts";

/** For writes. Refuses INPUT_INVALID. */
export function emailsToWrite(emails: readonly string[]): string[] {
  return toWrite(emails, normaliseEmail, "an email address");
}

/** As emailsToWrite, for phone numbers, in E.164. */
export function phonesToWrite(phones: readonly string[]): string[] {
  return toWrite(phones, normalisePhone, "a phone number");
}

function toWrite(sent: readonly string[], normalise: (text: string) => string | undefined, what: string): string[] {
  return sent.map((text, at) => {
    const address = normalise(text);
    if (address === undefined) throw new Refusal("INPUT_INVALID", `Expected ${what} at place ${at}, got something else`);
    return address;
  });
}

/** For reads: what is no address is nobody's. */
export function emailToRead(email: string): string {
  return normaliseEmail(email) ?? noAddress;
}

/** As emailToRead, for a phone number. */
export function phoneToRead(phone: string): string {
  return normalisePhone(phone) ?? noAddress;
}

/** No address looks like it, and a store can look for it, which it cannot for a text of any length. */
const noAddress = "-";
