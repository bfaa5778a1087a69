/** By which rule two user names are the same. */
import { lowerAscii, normaliseEmail } from "../../../platform/address.ts";

/**
 * The form by which a userName is unique in its company: the email address without spaces around it, A to Z in lower case,
 * the domain in its ASCII form. No other letter is folded: `ı` is not `i`. Undefined where the text is no email address.
 */
export function userNameKey(text: string): string | undefined {
  return normaliseEmail(text);
}

/** As userNameKey; a text that is no address is only folded, so that it can be compared and is found nowhere. */
export function comparedUserName(text: string): string {
  return normaliseEmail(text) ?? lowerAscii(text);
}
