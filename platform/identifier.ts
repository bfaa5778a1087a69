/** Ids and secrets: who makes them, what they look like, and how a secret is compared. */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { type Clock, systemClock } from "./clock.ts";

/**
 * A new id: `newId("uuid")` is a bare UUIDv7, `newId("key_")` one behind a prefix. Ids sort by the time they were
 * made; they are no secrets.
 */
export function newId(prefix: "uuid" | `${string}_`, clock: Clock = systemClock): string {
  return prefix === "uuid" ? uuid(clock) : `${prefix}${uuid(clock).replaceAll("-", "")}`;
}

/**
 * UUIDv7 (RFC 9562 5.7): each is greater than the one before in this process, also when the clock steps back or many
 * fall into one millisecond (method 1 of 6.2: a 12 bit counter, which borrows from the next millisecond when full).
 */
export function uuid(clock: Clock = systemClock): string {
  const now = Math.floor(clock.now());
  if (now > last.ms) {
    last.ms = now;
    last.counter = randomSlice(2).readUInt16BE() & counterSeedMask;
  } else {
    last.counter += 1;
    if (last.counter > counterMask) {
      last.ms += 1;
      last.counter = 0;
    }
  }
  const bytes = randomSlice(uuidBytes);
  bytes.writeUIntBE(last.ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | last.counter, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Whether two ids are one UUID, whose letters may be in either case (RFC 9562, section 4). */
export function isSameUuid(one: string, other: string): boolean {
  return one.length === other.length && isUuid(one) && one.toLowerCase() === other.toLowerCase();
}

export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

const uuidShape = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The one with exactly this id, else the one whose UUID it is in another case. */
export function findById<T extends { readonly id: string }>(all: readonly T[], id: string): T | undefined {
  return all.find((one) => one.id === id) ?? all.find((one) => isSameUuid(one.id, id));
}

/** When a UUIDv7 was made, as Unix milliseconds. */
export function madeAt(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
}

/** Random bytes that are given out once and may be written to. Asked of the system for many ids at once: asking costs more than an id. */
function randomSlice(bytes: number): Buffer {
  if (random.used + bytes > random.bytes.length) {
    random.bytes = randomBytes(randomBytesAtOnce);
    random.used = 0;
  }
  const from = random.used;
  random.used += bytes;
  return random.bytes.subarray(from, random.used);
}

const random = { bytes: Buffer.alloc(0), used: 0 };
const randomBytesAtOnce = 4_096;
const uuidBytes = 16;
const counterMask = 0xfff;
/** Half of the counter stays free for the rest of the millisecond. */
const counterSeedMask = 0x7ff;
const last = { ms: 0, counter: 0 };

/**
 * A new secret: `prefix`, 30 random base62 characters (178 bits) and 6 base62 characters of the CRC-32 of all before
 * them, so that a mistyped or made-up one is known as such.
 */
export function secret(prefix: string): string {
  const start = `${prefix}${randomBase62(randomChars)}`;
  return `${start}${checksum(start)}`;
}

/** True where `text` ends in 30 base62 characters and the checksum of all before it, as `secret` makes them. */
export function secretHolds(text: string): boolean {
  return secretShape.test(text.slice(-randomChars - checksumChars)) &&
    checksum(text.slice(0, -checksumChars)) === text.slice(-checksumChars);
}

/** SHA-256 as 64 hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

const randomChars = 30;
const checksumChars = 6;
const secretShape = /^[0-9A-Za-z]{36}$/;
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 that a byte can stay below: what is above would make some characters likelier. */
const fairBytes = base62.length * Math.floor(0x100 / base62.length);

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < fairBytes && text.length < length) text += base62.charAt(byte % base62.length);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumChars; place += 1) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
