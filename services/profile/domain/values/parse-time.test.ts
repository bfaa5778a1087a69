/** Tests of the time forms, one table a row of api-facts 2.5 and 2.6. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isDate, isoTime, parseTime } from "./parse-time.ts";

const noon = "2019-02-15T12:34:56.789Z";

test.each([
  ["ISO 8601 with milliseconds", "2019-02-15T12:34:56.789Z", noon],
  ["ISO 8601 in lower case", "2019-02-15t12:34:56.789z", noon],
  ["ISO 8601 with a comma", "2019-02-15T12:34:56,789Z", noon],
  ["ISO 8601 with microseconds, cut", "2019-02-15T12:34:56.789999Z", noon],
  ["ISO 8601 with nanoseconds, cut", "2019-02-15T12:34:56.789999999Z", noon],
  ["ISO 8601 with one digit of a second", "2019-02-15T12:34:56.7Z", "2019-02-15T12:34:56.700Z"],
  ["ISO 8601 with two digits of a second", "2019-02-15T12:34:56.07Z", "2019-02-15T12:34:56.070Z"],
  ["ISO 8601 without seconds", "2019-02-15T12:34Z", "2019-02-15T12:34:00.000Z"],
  ["offset +HH:mm", "2019-02-15T14:04:56.789+01:30", noon],
  ["offset -HHmm", "2019-02-15T07:34:56.789-0500", noon],
  ["offset +HH", "2019-02-15T13:34:56.789+01", noon],
  ["offset over the end of a year", "2019-12-31T23:30:00-01:00", "2020-01-01T00:30:00.000Z"],
  ["offset before the start of a year", "2020-01-01T00:30:00+01:00", "2019-12-31T23:30:00.000Z"],
  ["yyyy-MM-ddTHH:mm:ss:SSSZ with Z", "2019-02-15T12:34:56:789Z", noon],
  ["yyyy-MM-ddTHH:mm:ss:SSSZ with an offset", "2019-02-15T13:34:56:789+0100", noon],
  ["yyyy-MM-ddTHH:mm:ss", "2019-02-15T12:34:56", "2019-02-15T12:34:56.000Z"],
  ["yyyy-MM-dd HH:mm:ss", "2019-02-15 12:34:56", "2019-02-15T12:34:56.000Z"],
  ["the recorded form", "2019-02-15 00:00:00 -0500", "2019-02-15T05:00:00.000Z"],
  ["the recorded form of answers", "2020-06-17 19:27:44 +0000", "2020-06-17T19:27:44.000Z"],
  ["a zone in letters", "2020-06-17 19:27:44 UTC", "2020-06-17T19:27:44.000Z"],
  ["yyyy-MM-dd is midnight UTC", "2019-02-15", "2019-02-15T00:00:00.000Z"],
  ["MM/dd/yyyy", "02/15/2019", "2019-02-15T00:00:00.000Z"],
  ["12/1/2021", "12/1/2021", "2021-12-01T00:00:00.000Z"],
  ["12-1-2021", "12-1-2021", "2021-12-01T00:00:00.000Z"],
  ["1/1/2021", "1/1/2021", "2021-01-01T00:00:00.000Z"],
  ["ddd MM dd HH:mm:ss.TZD YYYY with Z", "Fri 02 15 12:34:56.Z 2019", "2019-02-15T12:34:56.000Z"],
  ["ddd MM dd HH:mm:ss.TZD YYYY with an offset", "Fri 02 15 12:34:56.+01:00 2019", "2019-02-15T11:34:56.000Z"],
  ["ddd MMM dd HH:mm:ss TZD YYYY", "Fri Feb 15 12:34:56 UTC 2019", "2019-02-15T12:34:56.000Z"],
  ["ddd MMM d without a zone", "Fri Dec 5 12:34:56 2019", "2019-12-05T12:34:56.000Z"],
  ["29 February of a leap year", "2020-02-29", "2020-02-29T00:00:00.000Z"],
  ["29 February of 2000", "2000-02-29", "2000-02-29T00:00:00.000Z"],
  ["year 0", "0000-01-01", "0000-01-01T00:00:00.000Z"],
  ["year 50 is not 1950", "0050-06-01T00:00:00Z", "0050-06-01T00:00:00.000Z"],
  ["year 9999", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
])("parseTime() reads %s (api-facts 2.5)", (_, text, expected) => {
  expect(isoTime(parseTime(text) ?? Number.NaN)).toBe(expected);
});

test.each([
  ["basic form", "20190215T123456Z", "2019-02-15T12:34:56.000Z"],
  ["basic form with a fraction", "20190215T123456.789Z", noon],
  ["basic form with a comma and an offset", "20190215T133456,789+0100", noon],
  ["basic form without seconds", "20190215T1234Z", "2019-02-15T12:34:00.000Z"],
  ["basic form without minutes", "20190215T12Z", "2019-02-15T12:00:00.000Z"],
  ["basic date", "20190215", "2019-02-15T00:00:00.000Z"],
  ["basic date and extended time", "20190215T12:34:56Z", "2019-02-15T12:34:56.000Z"],
  ["offset +H:mm", "2019-02-15T13:34:56.789+1:00", noon],
  ["offset -H", "2019-02-15T07:34:56.789-5", noon],
  ["hours without minutes", "2019-02-15T12", "2019-02-15T12:00:00.000Z"],
  ["hours without minutes, with Z", "2019-02-15T12Z", "2019-02-15T12:00:00.000Z"],
  ["hours without minutes, with an offset", "2019-02-15T12+01:00", "2019-02-15T11:00:00.000Z"],
  ["week date", "2019-W07-5", "2019-02-15T00:00:00.000Z"],
  ["week date with a time", "2019-W07-5T12:34:56.789Z", noon],
  ["basic week date", "2019W075T123456Z", "2019-02-15T12:34:56.000Z"],
  ["week 1 that begins in the year before", "2020-W01-1", "2019-12-30T00:00:00.000Z"],
  ["week 53", "2020-W53-7", "2021-01-03T00:00:00.000Z"],
  ["ordinal date", "2019-046", "2019-02-15T00:00:00.000Z"],
  ["ordinal date of a leap year", "2020-366T00:00:00Z", "2020-12-31T00:00:00.000Z"],
  ["basic ordinal date with a time", "2019046T123456Z", "2019-02-15T12:34:56.000Z"],
  ["a fraction of a minute", "2024-01-01T12:30.5Z", "2024-01-01T12:30:30.000Z"],
  ["a fraction of a minute with a comma and an offset", "2024-01-01T13:30,25+01:00", "2024-01-01T12:30:15.000Z"],
  ["a fraction of a minute in basic form", "20240101T1230,5Z", "2024-01-01T12:30:30.000Z"],
  ["a fraction of a minute, cut", "2024-01-01T12:30.00001Z", "2024-01-01T12:30:00.000Z"],
  ["a third of a minute, cut", "2024-01-01T12:30.3333333333Z", "2024-01-01T12:30:19.999Z"],
  ["a fraction of an hour", "2024-01-01T12.5Z", "2024-01-01T12:30:00.000Z"],
  ["a fraction of an hour with a comma, without a zone", "2024-01-01T12,7", "2024-01-01T12:42:00.000Z"],
  ["a fraction of an hour in basic form", "20240101T23.999999999Z", "2024-01-01T23:59:59.999Z"],
  ["24 hours with a fraction of nothing", "2024-01-01T24.0Z", "2024-01-02T00:00:00.000Z"],
  ["24:00", "2019-02-15T24:00:00Z", "2019-02-16T00:00:00.000Z"],
  ["24:00 of the last day of a year", "20191231T2400Z", "2020-01-01T00:00:00.000Z"],
  ["a leap second", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["a leap second elsewhere", "2016-12-31T18:59:60.5-05:00", "2017-01-01T00:00:00.500Z"],
  ["year 50 in basic form", "00500601T000000Z", "0050-06-01T00:00:00.000Z"],
])("parseTime() reads %s of ISO 8601 (Event object, time)", (_, text, expected) => {
  expect(isoTime(parseTime(text) ?? Number.NaN)).toBe(expected);
});

test.each([
  "",
  "now",
  "2019",
  "2019-02",
  "1550233496",
  "1550233496000",
  "1e12",
  "2019-2-15",
  "2019-02-15T",
  "2019-02-15 ",
  "2019-02-30",
  "2019-02-29",
  "1900-02-29",
  "2019-04-31",
  "2019-13-01",
  "2019-00-10",
  "2019-01-00",
  "2019-01-32",
  "2019-02-15T12:60:00Z",
  "2019-02-15T22:59:60Z",
  "2019-02-15T24:00:01Z",
  "2019-02-15T25:00:00Z",
  "2019-02-15T24.5Z",
  "2019-02-15T24:00.1Z",
  "2019-02-15T12.Z",
  "2019-02-15T12:30.Z",
  "2019-02-15T12.30:15Z",
  "2019-02-15T12.30.15Z",
  "2019-02-15T12:30.5.5Z",
  "2019-02-15 12.30",
  "2019-02-15 12.30 UTC",
  "2019-0215",
  "201902-15",
  "2019-W07",
  "2019-W53-1",
  "2019-W00-1",
  "2019-W07-8",
  "2019-366",
  "2019-000",
  "20190230",
  "20190215T1234567Z",
  "2019-02-15T12:34:56+100",
  "2019-02-15T12:34:5Z",
  "2019-02-15T12:34:56.Z",
  "2019-02-15T12:34:56X",
  "2019-02-15T12:34:56+",
  "2019-02-15T12:34:56+24:00",
  "2019-02-15T12:34:56+01:60",
  "2019-02-15T12:34:56+01:0",
  "2019-02-15T12:34:56+01-00",
  "2019-02-15T12:34:56Z ",
  "2019-02-15T12:34:56  Z",
  " 2019-02-15",
  "2019-02-15Z",
  "2019-02-15X12:34:56",
  "2019/02/15",
  "02-15/2019",
  "13/01/2021",
  "02/30/2021",
  "2/29/2019",
  "123/1/2021",
  "1/123/2021",
  "12/1/21",
  "12/1/20211",
  "12/1/2021 10:00",
  "//1/2021",
  "-2019-02-15",
  "+002019-02-15",
  "Fri 02 30 12:34:56.Z 2019",
  "Fri 13 15 12:34:56.Z 2019",
  "Xxx 02 15 12:34:56.Z 2019",
  "Fri 02 15 25:34:56.Z 2019",
  "Fri 02 15 2019",
  "The quick brown fox 2019",
  "2019-02-15T12:34:56.7890000000000000000000000000000000Z",
  "２０１９-02-15",
])("parseTime() has no time for '%s'", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test("parseTime() reads back every time of years 0 to 9999 in canonical form", () => {
  const instant = fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") });
  fc.assert(fc.property(instant, (ms) => parseTime(new Date(ms).toISOString()) === ms));
});

test("parseTime() says of any date what the calendar says", () => {
  const date = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }));
  fc.assert(fc.property(date, ([year, month, day]) => {
    const text = [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-");
    const oracle = new Date(`${text}T00:00:00.000Z`);
    const isReal = !Number.isNaN(oracle.getTime()) && oracle.toISOString().startsWith(text);
    return parseTime(text) === (isReal ? oracle.getTime() : undefined);
  }));
});

test("parseTime() never throws and returns whole milliseconds", () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9TZ:.+/ -]{8,30}$/));
  fc.assert(fc.property(text, (value) => {
    const ms = parseTime(value);
    return ms === undefined || Number.isInteger(ms);
  }));
});

test.each([["2019-02-15", true], ["2019-02-30", false], ["02/15/2019", false], ["02-15-2019", false], ["2019-02-15T00:00:00Z", false], [
  "",
  false,
]])(
  "isDate() of '%s' is %s (api-facts 2.4, dob)",
  (text, expected) => {
    expect(isDate(text)).toBe(expected);
  },
);
