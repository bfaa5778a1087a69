/** Addresses: two texts are one address only by the documented rule (trim, ASCII case, ASCII domain, E.164). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normaliseEmail, normalisePhone } from "./address.ts";

describe("normaliseEmail()", () => {
  test.each([
    ["ann@example.com", "ann@example.com"],
    ["  Ann.Smith@Example.COM\r\n", "ann.smith@example.com"],
    ["ann+tag@example.com", "ann+tag@example.com"],
    ["o'brien!#$%&*/=?^_`{|}~-@sub.example.co.uk", "o'brien!#$%&*/=?^_`{|}~-@sub.example.co.uk"],
    ["Jürgen@example.com", "jürgen@example.com"],
    ["JÜRGEN@example.com", "jÜrgen@example.com"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"],
    ["a@exämple.com", "a@xn--exmple-cua.com"],
    ["a@EXÄMPLE.com", "a@xn--exmple-cua.com"],
    ["a@XN--EXMPLE-CUA.com", "a@xn--exmple-cua.com"],
    ['"Ann"@example.com', "ann@example.com"],
    ['"A\\nn"@example.com', "ann@example.com"],
    ['"john smith"@example.com', '"john smith"@example.com'],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ['"a..b"@example.com', '"a..b"@example.com'],
    ['".ann"@example.com', '".ann"@example.com'],
    ['"a\\ b\\,\\"c\\\\"@example.com', '"a b,\\"c\\\\"@example.com'],
    ['" ann"@example.com', '" ann"@example.com'],
    ['"jürgen b"@example.com', '"jürgen b"@example.com'],
  ])("takes %j as %j", (text, expected) => {
    expect(normaliseEmail(text)).toBe(expected);
  });

  test.each([
    "",
    "@",
    "ann",
    "ann@",
    "@example.com",
    "ann@example",
    "ann@.com",
    "ann@example..com",
    "ann@example.com.",
    "ann@-example.com",
    "ann@example-.com",
    "ann@exa_mple.com",
    "ann@exam ple.com",
    "a b@example.com",
    "ann@@example.com",
    "a@b@example.com",
    ".ann@example.com",
    "ann.@example.com",
    "a..b@example.com",
    '""@example.com',
    '"ann@example.com',
    'ann"@example.com',
    'a"n"n@example.com',
    '"a"n"@example.com',
    '"ann\\"@example.com',
    '"a\tn"@example.com',
    '"a\\\tn"@example.com',
    '"a\u200bn"@example.com',
    '"a\u00a0n"@example.com',
    '"a"."b"@example.com',
    `"${"a b".repeat(21)}"@example.com`,
    "ann@[127.0.0.1]",
    "ann@127.0.0.1",
    "ann@example.123",
    "a\u0000@example.com",
    "a\n@example.com",
    "<ann@example.com>",
    "a,b@example.com",
    `${"a".repeat(65)}@example.com`,
    `${"ü".repeat(33)}@example.com`,
    `a@${"b".repeat(64)}.com`,
    `a@${"bcd.".repeat(70)}com`,
    "\ud800@example.com",
    "a@\ud800.com",
    "a@ü%61.de",
    "a@例子.广告/x",
    "a@例子.广告?x",
    "a@例子.广告#x",
    "a@例子.广告\\x",
    "a@例子.广告:80",
    "a@ü_b.de",
    "x".repeat(2_000_000),
  ])("refuses %j", (text) => {
    expect(normaliseEmail(text)).toBeUndefined();
  });

  test.each([
    ["dotless i", "\u0131da@example.com"],
    ["long s", "\u017fam@example.com"],
    ["Kelvin sign", "\u212aim@example.com"],
    ["full-width letter", "\uff41nn@example.com"],
    ["decomposed accent", "e\u0301@example.com"],
    ["Cyrillic a", "\u0430nn@example.com"],
  ])("keeps a local part with a %s apart from every ASCII address", (_, text) => {
    const key = normaliseEmail(text);
    // oxlint-disable-next-line no-control-regex -- the range is what ASCII means
    expect(key).toMatch(/[^\x00-\x7f]/);
  });

  test.each([
    ["Kelvin sign", "a@\u212aim.com"],
    ["long s", "a@\u017fam.com"],
    ["full-width letters", "a@\uff45xample.com"],
    ["full-width dot", "a@example\uff0ecom"],
    ["ideographic full stop", "a@example\u3002com"],
    ["zero-width space", "a@exam\u200bple.com"],
    ["soft hyphen", "a@exam\u00adple.com"],
    ["ligature", "a@o\ufb03ce.com"],
    ["circled letter", "a@\u24d0bc.com"],
  ])("refuses a domain that only folds to an ASCII one: %s", (_, text) => {
    expect(normaliseEmail(text)).toBeUndefined();
  });

  test.each([
    ["zero-width space", "a\u200bnn@example.com"],
    ["zero-width joiner", "a\u200dnn@example.com"],
    ["byte order mark in front", "\ufeffann@example.com"],
    ["no-break space behind", "ann@example.com\u00a0"],
    ["right-to-left override", "\u202eann@example.com"],
  ])("refuses what cannot be seen: %s", (_, text) => {
    expect(normaliseEmail(text)).toBeUndefined();
  });

  test("is its own form: key(key(x)) = key(x)", () => {
    const part = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
    const quoted = fc.stringMatching(/^"(?:[ !#-[\]-~ü]|\\[ -~]){1,9}"$/);
    const label = fc.oneof(fc.stringMatching(/^[A-Za-z0-9-]{1,8}$/), part);
    const top = fc.constantFrom("com", "DE", "рф", "广告");
    fc.assert(
      fc.property(fc.oneof(part, quoted, fc.stringMatching(/^[A-Za-z.+]{1,9}$/)), label, top, (local, domain, top) => {
        const key = normaliseEmail(`${local}@${domain}.${top}`);
        if (key !== undefined) expect(normaliseEmail(key)).toBe(key);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("normalisePhone()", () => {
  test.each([
    ["+12183095514", "+12183095514"],
    ["2183095514", "+12183095514"],
    ["(218) 309-5514", "+12183095514"],
    ["218.309.5514", "+12183095514"],
    ["12183095514", "+12183095514"],
    ["1-218-309-5514", "+12183095514"],
    ["+1 (218) 309-5514", "+12183095514"],
    [" +49 151 12345678 ", "+4915112345678"],
    ["4915112345678", "+4915112345678"],
    ["+44 (0)20 7946 0958", "+442079460958"],
    ["+442079460958", "+442079460958"],
  ])("takes %j as %j", (text, expected) => {
    expect(normalisePhone(text)).toBe(expected);
  });

  test.each([
    "",
    "+",
    "12",
    "abc",
    "+1",
    "+0123456789",
    "0123456789",
    "0151 12345678",
    "1234567890",
    "5555550123",
    "+1234567890123456",
    "+12183095514x5",
    "tel:+12183095514",
    "2183095514,",
    "\uff12183095514",
    "٢١٨٣٠٩٥٥١٤",
    "+1218\u200b3095514",
    "++12183095514",
    "9".repeat(41),
    "9".repeat(1_000_000),
  ])("refuses %j", (text) => {
    expect(normalisePhone(text)).toBeUndefined();
  });

  test("is its own form, and always E.164", () => {
    const digits = fc.stringMatching(/^\+?[0-9 ()-]{5,18}$/);
    fc.assert(
      fc.property(digits, (text) => {
        const key = normalisePhone(text);
        if (key === undefined) return;
        expect(key).toMatch(/^\+[1-9]\d{6,14}$/);
        expect(normalisePhone(key)).toBe(key);
      }),
      { numRuns: 2_000 },
    );
  });
});
