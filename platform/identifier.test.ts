/** Ids rise and never repeat; secrets check themselves. */
import { describe, expect, test } from "vitest";
import { fakeClock } from "./clock.fixture.ts";
import { isSameUuid, madeAt, newId, secret, secretHolds, sha256Hex, uuid } from "./identifier.ts";

test.each([
  ["0190aaaa-bbbb-7ccc-8ddd-eeeeffff0000", "0190AAAA-bbbb-7ccc-8ddd-eeeeffff0000", true],
  ["0190aaaa-bbbb-7ccc-8ddd-eeeeffff0000", "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001", false],
  ["0190aaaabbbb7ccc8dddeeeeffff0000", "0190AAAABBBB7CCC8DDDEEEEFFFF0000", false],
  ["letter", "Letter", false],
])("isSameUuid() of %s and %s: %s", (one, other, same) => {
  expect(isSameUuid(one, other)).toBe(same);
});

describe("uuid()", () => {
  test("tells when it was made", () => {
    expect(madeAt("019c0000-0000-7000-8001-000000000000")).toBe(0x019c00000000);
    const clock = fakeClock(Date.UTC(2040, 5, 1));
    expect(madeAt(uuid(clock))).toBe(clock.now());
  });

  test("is a UUIDv7 of the clock's time", () => {
    const clock = fakeClock(Date.UTC(2100, 0, 1));
    const made = uuid(clock);
    expect(made).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(Number.parseInt(made.replace("-", "").slice(0, 12), 16)).toBe(clock.now());
  });

  test("rises, whatever the clock does and however many a millisecond holds", () => {
    const later = fakeClock(Date.UTC(2101, 0, 1));
    const earlier = fakeClock(Date.UTC(2000, 0, 1));
    const made = Array.from({ length: 20_000 }, (_, index) => uuid(index % 3 === 0 ? earlier : later));
    expect(made).toEqual([...new Set(made)].sort());
  });
});

describe("newId()", () => {
  test("puts the prefix in front, or gives a bare UUID", () => {
    expect(newId("key_")).toMatch(/^key_[\da-f]{32}$/);
    expect(newId("uuid")).toMatch(/^[\da-f-]{36}$/);
  });
});

describe("secret()", () => {
  test("is prefix, 30 random and 6 checking base62 characters", () => {
    const made = secret("hdl_");
    expect(made).toMatch(/^hdl_[0-9A-Za-z]{36}$/);
    expect(secretHolds(made)).toBe(true);
    expect(secret("hdl_")).not.toBe(made);
  });

  test("uses every character about equally", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 8_000; round += 1) {
      for (const char of secret("").slice(0, 30)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const mean = 240_000 / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(8 * Math.sqrt(mean));
  });
});

describe("secretHolds()", () => {
  test("knows every single character that was changed", () => {
    const made = secret("hdl_");
    for (let at = 4; at < made.length; at += 1) {
      const other = made[at] === "x" ? "y" : "x";
      expect(secretHolds(made.slice(0, at) + other + made.slice(at + 1))).toBe(false);
    }
  });

  test.each(["", "hdl_", "x".repeat(35), `hdl_${"x".repeat(36)}`, `hdl_${"é".repeat(36)}`])("refuses %j", (text) => {
    expect(secretHolds(text)).toBe(false);
  });

  test("is bound to the prefix", () => {
    const made = secret("hdl_");
    expect(secretHolds(made.replace("hdl_", "hds_"))).toBe(false);
  });

  test("keeps the checksum that was given out: CRC-32 in base62", () => {
    const text = "hdl_000000000000000000000000000000";
    expect(secretHolds(`${text}${base62(crcOf(text))}`)).toBe(true);
  });
});

/** CRC-32 by the book, bit for bit, independent of the one in use. */
function crcOf(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let text = "";
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return text;
}

describe("sha256Hex()", () => {
  test("hashes texts and bytes alike (the vector of FIPS 180)", () => {
    const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(sha256Hex("abc")).toBe(expected);
    expect(sha256Hex(new TextEncoder().encode("abc"))).toBe(expected);
  });
});
