/** The JSON guard: what passes is what JSON.parse gives, what does not has one reason and a place. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inspectJson } from "./json-inspect.ts";
import { parseJson } from "./json.ts";
import { limits } from "./limits.ts";
import { reasons, Refusal } from "./refusal.ts";

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function refusalOf(bytes: Uint8Array): Refusal {
  try {
    parseJson(bytes);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

function nested(depth: number): Uint8Array {
  return bytesOf("[".repeat(depth) + "]".repeat(depth));
}

describe("parseJson()", () => {
  test("gives what JSON.parse gives, for any value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: "binary" }).filter((text) => text.isWellFormed()), (text) => {
        expect(parseJson(bytesOf(text))).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test("refuses or takes any text as JSON.parse does, repeated keys apart", () => {
    const marks = ["{", "}", "[", "]", ":", ",", " ", "\n", '"', "\\", "\t"];
    const piece = fc.constantFrom(...marks, '"a"', '"b\\""', "1", "-0", "01", "1.", "1e5", "true", "nul");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const finding = inspectJson(text);
        expect(finding?.kind === "syntax").toBe(!valid && finding?.kind !== "repeated");
        if (!valid) expect(refusalOf(bytesOf(text)).reason).toBe("BODY_NOT_JSON");
      }),
      { numRuns: 5_000 },
    );
  });

  test("inspectJson() of a text that it sees the start of says what it says of the whole, or nothing", () => {
    const whole = ['{"a":[1,-2.5e+10,true,null]}', '"x\\u0041\\n"', "false", '{"":{"":"\\\\"}}', '"tab\there"', "1.e5", '"\\u00g1"'];
    const marks = ["{", "}", "[", "]", ":", ",", " ", '"', "\\", "\\u00", "-", "1.", "tru"];
    const pieces = fc.array(fc.constantFrom(...whole, ...marks, '"a":1,"a":2'), { maxLength: 8 });
    let same = 0;
    fc.assert(
      fc.property(pieces, fc.nat(60), (texts, charsMax) => {
        const text = texts.join("");
        const found = inspectJson(text, charsMax);
        if (found === undefined) return;
        expect(found).toEqual(inspectJson(text));
        same += 1;
      }),
      { numRuns: 20_000 },
    );
    expect(same).toBeGreaterThan(5_000);
  });

  test("says no place of what is wrong far behind the start", () => {
    const long = `[${"0,".repeat(limits.jsonInspectCharsMax)}`;
    expect(refusalOf(bytesOf(`${long}x]`)).message).toBe("The body is not valid JSON");
    const keys = Array.from({ length: limits.jsonInspectCharsMax / 4 }, (_, at) => `"${at}":0`).join();
    expect(refusalOf(bytesOf(`{${keys},"0":1}`))).toMatchObject({ reason: "BODY_KEY_REPEATED", message: reasons.BODY_KEY_REPEATED });
  });

  test.each([
    ["{}", {}],
    [' [1, -0, 1e3, "x:y{[", null] ', [1, -0, 1000, "x:y{[", null]],
    ['{"a":{"a":{"a":"b\\"a\\\\"}},"b":[{"a":1},{"a":1}]}', { a: { a: { a: 'b"a\\' } }, b: [{ a: 1 }, { a: 1 }] }],
    ['"\\ud800"', "\ud800"],
    ['{"":1," ":2}', { "": 1, " ": 2 }],
  ])("takes %j", (text, expected) => {
    expect(parseJson(bytesOf(text))).toStrictEqual(expected);
  });

  test("reads a view into a larger buffer, as a socket gives it", () => {
    expect(parseJson(bytesOf('xx{"a":1}yy').subarray(2, 9))).toEqual({ a: 1 });
  });

  test.each([
    ["", "expected a value at line 1, column 1"],
    ["{", "expected a key in double quotes at line 1, column 2"],
    ['{"a":1,}', "expected a key in double quotes at line 1, column 8"],
    ['{"a" 1}', 'expected ":" at line 1, column 6'],
    ['{"a":1 "b"', 'expected "," or "}" at line 1, column 8'],
    ["[1 2]", 'expected "," or "]" at line 1, column 4'],
    ["[1,]", "expected a value at line 1, column 4"],
    ["[1]\n\n x", "expected the end at line 3, column 2"],
    ['["\u0000"]', "expected a text that ends"],
    ['["\\x"]', "expected a text that ends"],
    ["'a'", "expected a value"],
    ["NaN", "expected a value"],
    ["[01]", 'expected "," or "]" at line 1, column 3'],
  ])("refuses %j as BODY_NOT_JSON and says where", (text, expected) => {
    const refusal = refusalOf(bytesOf(text));
    expect(refusal.reason).toBe("BODY_NOT_JSON");
    expect(refusal.message).toContain(expected);
  });

  test.each([
    ["bare continuation", [0x22, 0x80, 0x22]],
    ["overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["cut short", [0x22, 0xe2, 0x82]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00]],
  ])("refuses BODY_NOT_UTF8: %s", (_, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes)).reason).toBe("BODY_NOT_UTF8");
  });

  test.each([
    ['{"a":1,"a":1}', '"a" twice (line 1, column 8)'],
    ['[{"b":{"c":1,\n"d":2,"c":3}}]', '"c" twice (line 2, column 7)'],
    ['{"a":1,"\\u0061":2}', '"a" twice'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__" twice'],
    ['{"":1,"":2}', '"" twice'],
    ['{"x":{"a":1},"x":[{"b":1}]}', '"x" twice'],
  ])("refuses BODY_KEY_REPEATED: %j", (text, expected) => {
    const refusal = refusalOf(bytesOf(text));
    expect(refusal.reason).toBe("BODY_KEY_REPEATED");
    expect(refusal.message).toContain(expected);
  });

  test("takes as many levels as allowed and not one more", () => {
    expect(() => parseJson(nested(64), { depthMax: 64 })).not.toThrow();
    expect(refusalOf(nested(65)).reason).toBe("BODY_TOO_DEEP");
    expect(refusalOf(bytesOf('{"a":'.repeat(65))).reason).toBe("BODY_TOO_DEEP");
    expect(parseJson(bytesOf(`"${"[".repeat(100)}"`))).toBe("[".repeat(100));
    expect(parseJson(bytesOf(`[${Array(100).fill("[]").join()}]`))).toHaveLength(100);
  });

  test("refuses a depth of 1,000,000, and takes a wide array, without recursion", () => {
    const wide = limits.jsonEntriesMax;
    expect(refusalOf(bytesOf("[".repeat(1_000_000))).reason).toBe("BODY_TOO_DEEP");
    expect(refusalOf(bytesOf('{"a":'.repeat(1_000_000))).reason).toBe("BODY_TOO_DEEP");
    expect(parseJson(bytesOf(`[${"{},".repeat(wide - 1)}1]`))).toHaveLength(wide);
  });

  test("takes as many entries in one array or object as allowed and not one more, however many there are in all", () => {
    const most = limits.jsonEntriesMax;
    const items = (count: number) => `[${"0,".repeat(count - 1)}0]`;
    const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`;
    expect(parseJson(bytesOf(items(most)))).toHaveLength(most);
    expect(Object.keys(parseJson(bytesOf(members(most))) as object)).toHaveLength(most);
    for (const text of [items(most + 1), members(most + 1), `{"a":[[],${items(most + 1)}]}`, items(most + 1).slice(0, -1)]) {
      expect(refusalOf(bytesOf(text)).reason).toBe("BODY_TOO_WIDE");
    }
    expect(parseJson(bytesOf(`[[${items(most)}],${items(most)},"${",".repeat(most)}"]`))).toHaveLength(3);
  });

  test("takes as much weight in all as it is allowed, and no more", () => {
    // Four brackets, a member and three commas outside of texts
    const text = `[[1,2],{"a":[]},"[,,{"]`;
    expect(parseJson(bytesOf(text), { weightMax: 23 })).toHaveLength(3);
    expect(() => parseJson(bytesOf(text), { weightMax: 22 })).toThrow(expect.objectContaining({ reason: "BODY_TOO_WIDE" }));
  });

  test("takes whatever an object that is taken can hold", () => {
    // `0,` is the shortest entry; the brackets take the place of one
    expect(limits.jsonEntriesMax).toBeGreaterThanOrEqual(limits.objectBytesMax / 2);
    expect(limits.jsonEntriesMax).toBeGreaterThanOrEqual(Math.max(limits.bulkObjectsMax, limits.textsPerMessageMax));
  });

  test("quotes nothing large", () => {
    const key = "k".repeat(100_000);
    expect(refusalOf(bytesOf(`{"${key}":1,"${key}":2}`)).message.length).toBeLessThan(200);
    expect(refusalOf(bytesOf(`{"${key}"}`)).message.length).toBeLessThan(200);
  });

  test("changes no prototype", () => {
    const value = parseJson(bytesOf('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

test("parseJson() passes over a byte order mark, and no second one", () => {
  expect(parseJson(bytesOf("\ufeff{}"))).toEqual({});
  expect(refusalOf(bytesOf("\ufeff\ufeff{}")).reason).toBe("BODY_NOT_JSON");
});
