/** The frozen tables of currencies, countries and languages. */
import { describe, expect, test } from "vitest";
import { countryCode } from "./country.ts";
import { isCurrency } from "./currency.ts";
import { languageCode } from "./language.ts";

describe("isCurrency()", () => {
  test.each(["USD", "EUR", "JPY", "GBP", "XCG", "ZWG", "DEM", "HRK"])("takes %s", (code) => {
    expect(isCurrency(code)).toBe(true);
  });

  test.each(["", "usd", "US", "USDD", "XXX", "XTS", "ABC", "$", " USD", "constructor", "__proto__"])("refuses %j", (code) => {
    expect(isCurrency(code)).toBe(false);
  });
});

describe("countryCode()", () => {
  test.each([
    ["AU", "AU"],
    ["au", "AU"],
    [" us ", "US"],
    ["Australia", "AU"],
    ["united states", "US"],
    ["U.S.A.", "US"],
    ["U.S.", "US"],
    ["UK", "GB"],
    ["Great Britain", "GB"],
    ["Côte d’Ivoire", "CI"],
    ["COTE D'IVOIRE", "CI"],
    ["Ivory Coast", "CI"],
    ["Bosnia and Herzegovina", "BA"],
    ["Türkiye", "TR"],
    ["Turkey", "TR"],
    ["Viet Nam", "VN"],
    ["Macao", "MO"],
    ["Åland Islands", "AX"],
    ["Mexico", "MX"],
    ["México", "MX"],
    ["Hong Kong", "HK"],
    ["Congo", "CG"],
  ])("%j is %s", (text, expected) => {
    expect(countryCode(text)).toBe(expected);
  });

  test.each(["", "Atlantis", "XX", "ZZ", "EU", "USAA", "日本", "constructor", "__proto__", "1"])("knows no %j", (text) => {
    expect(countryCode(text)).toBeUndefined();
  });
});

describe("languageCode()", () => {
  test.each([
    ["en", "en"],
    ["EN", "en"],
    [" de ", "de"],
    ["en-US", "en"],
    ["pt_BR", "pt"],
    ["zh-Hant-TW", "zh"],
    ["iw", "he"],
  ])("%j is %s", (text, expected) => {
    expect(languageCode(text)).toBe(expected);
  });

  test.each(["", "xx", "eng", "English", "e", "en-", "en US", "zz-ZZ"])("knows no %j", (text) => {
    expect(languageCode(text)).toBeUndefined();
  });
});
