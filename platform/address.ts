/** What an email address or a phone number is called: one form for each, by which two texts mean the same address. */
import { createRequire } from "node:module";
import { domainToASCII } from "node:url";
import type * as PhoneNumbers from "libphonenumber-js/max";
import { limits } from "./limits.ts";
import { withoutEnds } from "./text-ends.ts";

/**
 * The one form of an email address, undefined where the text is none: trimmed, A to Z in lower case, the domain in
 * its ASCII form (UTS 46). Nothing else is folded: `ı`, `ſ`, `K` and full-width letters never become an ASCII
 * address of another person. `normaliseEmail(normaliseEmail(x))` is `normaliseEmail(x)`.
 *
 * Syntax is RFC 5321 and 6531, relaxed: a local part (UTF-8 allowed), a domain with at least one dot and a top level that
 * is not a number. A quoted local part has no quotes where it needs none, and backslashes before quotes and backslashes
 * alone, as `"ann"@example.com` and `"a\nn"@example.com` are the address of `ann@example.com`.
 */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > limits.emailCharsMax) return undefined;
  const trimmed = trimAscii(text);
  const at = trimmed.lastIndexOf("@");
  const written = lowerAscii(trimmed.slice(0, Math.max(at, 0)));
  const local = written.startsWith('"') ? unquoted(written) : written;
  const domain = asciiDomain(lowerAscii(trimmed.slice(at + 1)));
  if (domain === undefined || local === undefined || !isLocalPart(local)) return undefined;
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) <= limits.emailBytesMax ? address : undefined;
}

/**
 * The one form of a phone number, E.164 (`+` and 7 to 15 digits), undefined where the text is none. With a `+` any
 * possible number is taken; without, a valid US number of 10 digits, else a valid international one.
 * Only ASCII digits and the usual separators are read.
 */
export function normalisePhone(text: string): string | undefined {
  if (e164.test(text)) return text;
  if (text.length > limits.phoneCharsMax || !phoneShape.test(text)) return undefined;
  const trimmed = text.trim();
  if (trimmed.startsWith("+")) return internationalPhone(trimmed);
  const digits = trimmed.replace(/\D/g, "");
  if (digits.length === usDigits) return validPhone(`+1${digits}`);
  return digits.startsWith("0") ? undefined : validPhone(`+${digits}`);
}

const e164 = /^\+[1-9]\d{6,14}$/;
const phoneShape = /^(?:[ \t]*\+)?[\d ().\-/\t]+$/;
const usDigits = 10;

/** Its numbering plans take 14 MB and most numbers are E.164 already: loaded when the first other one comes. */
const require = createRequire(import.meta.url);
let library: typeof PhoneNumbers | undefined;

function parsed(text: string): PhoneNumbers.PhoneNumber | undefined {
  library ??= require("libphonenumber-js/max") as typeof PhoneNumbers;
  return library.parsePhoneNumberFromString(text);
}

function internationalPhone(text: string): string | undefined {
  const number = parsed(text);
  return number?.isPossible() && e164.test(number.number) ? number.number : undefined;
}

function validPhone(text: string): string | undefined {
  const number = parsed(text);
  return number?.isValid() && e164.test(number.number) ? number.number : undefined;
}

/** Atoms of RFC 5322 with any character beyond ASCII. */
const localShape = /^[a-z\d!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+(?:\.[a-z\d!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+)*$/u;
/** Spaces, controls, invisible characters and lone surrogates: two addresses that look alike are no two addresses. */
const invisible = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}]/u;

/** Spaces, printable ASCII and any character beyond ASCII; quotes and backslashes after a backslash alone (RFC 5321 4.1.2). */
const quotedShape = /^"((?:[ !#-[\]-~\u{80}-\u{10ffff}]|\\[ -~])+)"$/u;

/** The one form of a quoted local part; undefined where it is none. */
function unquoted(local: string): string | undefined {
  const text = quotedShape.exec(local)?.[1]?.replaceAll(/\\(.)/g, "$1");
  if (text === undefined) return undefined;
  return localShape.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function isLocalPart(local: string): boolean {
  if (Buffer.byteLength(local) > limits.emailLocalBytesMax) return false;
  if (!localShape.test(local) && !quotedShape.test(local)) return false;
  // Blanks stand between quotes alone
  return isAscii(local) || !invisible.test(local.replaceAll(" ", ""));
}

/** Labels of letters, digits and hyphens between them, the last one of letters alone or in the form of a foreign one. */
const asciiLabels = /^(?:[a-z\d]+(?:-+[a-z\d]+)*\.)+(?:[a-z]{2,}|xn--(?:-*[a-z\d])+)$/;
const labelCharsMax = 63;
/** Node reads what it makes ASCII as the host of a URL: it would end it at `/`, `?`, `#` and `\\`, and decode `%61`. */
const domainChars = /^[a-z\d.\u{80}-\u{10ffff}-]+$/u;

function isAsciiDomain(domain: string): boolean {
  if (!asciiLabels.test(domain)) return false;
  return domain.length <= labelCharsMax || domain.split(".").every((label) => label.length <= labelCharsMax);
}

function asciiDomain(domain: string): string | undefined {
  if (isAscii(domain)) return isAsciiDomain(domain) ? domain : undefined;
  if (!domainChars.test(domain) || invisible.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  if (!isAsciiDomain(ascii)) return undefined;
  const labels = ascii.split(".");
  const written = domain.split(".");
  if (labels.length !== written.length) return undefined;
  // A label that loses its foreign characters on the way is a look-alike of an ASCII one
  const folded = written.some((label, index) => isAscii(label) ? label !== labels[index] : !labels[index]?.startsWith("xn--"));
  return folded ? undefined : ascii;
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range is what ASCII means
  return /^[\x00-\x7f]*$/.test(text);
}

/** Only A to Z: other letters have no case that all programs agree on. Not toLowerCase(): that folds the Kelvin sign to `k`. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Not trim(): that takes away the byte order mark and foreign spaces, which then would not count as invisible. */
function trimAscii(text: string): string {
  return withoutEnds(text, " \t\r\n\f\v");
}
