/** Chance from the system: ids that nobody guesses, and secrets that carry a checksum. */
import { randomInt, randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomDigits = 30;
const checksumDigits = 6;
const idDigits = 16;

/**
 * A new secret: the prefix, 30 random base62 digits (178 bits) and 6 of the CRC-32 of all before them. The checksum
 * lets scanners and the gateway tell a mistyped secret without asking a store; it protects nothing.
 */
export function secret(prefix: string): string {
  const body = prefix + randomBase62(randomDigits);
  return body + checksum(body);
}

/** Whether a text with one of our prefixes is long enough and its checksum fits. */
export function secretHolds(text: string): boolean {
  const [, body = "", check] = /^([a-z]+_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return check !== undefined && check === checksum(body);
}

/** A new id that may be shown: the prefix and 16 random base62 digits (95 bits). */
export function newId(prefix: string): string {
  return prefix + randomBase62(idDigits);
}

/** A new random UUID (RFC 9562 version 4). */
export function newUuid(): string {
  return randomUUID();
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let at = 0; at < checksumDigits; at += 1) {
    digits = (base62[rest % base62.length] ?? "") + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

function randomBase62(digits: number): string {
  return Array.from({ length: digits }, () => base62[randomInt(base62.length)]).join("");
}
