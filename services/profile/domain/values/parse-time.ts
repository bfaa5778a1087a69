/** Reads every form of a time that clients may send (api-facts 2.5, 2.6), by hand: `Date.parse` differs between runtimes. */
import { parseIso } from "./parse-iso.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const secondMs = 1_000;
/** The calendar repeats after 400 years; computing there keeps years 0 to 99 out of the reach of Date.UTC's guess. */
const calendarYears = 400;
const calendarDays = 146_097;
const textCharsMin = 8;
const textCharsMax = 48;
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** `ddd MM dd HH:mm:ss.TZD YYYY`; the month may be a name too. */
const weekdayForm =
  /^(?:mon|tue|wed|thu|fri|sat|sun) (\d\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) (\d\d?) (\d\d:\d\d:\d\d)[. ]?(z|utc|gmt|[+-]\d\d:?\d\d|) (\d{4})$/i;
const monthNames = "janfebmaraprmayjunjulaugsepoctnovdec";

/**
 * Unix milliseconds of a time or date in one of these forms, or undefined:
 * - `yyyy-MM-dd`, and with `T` or a space before `HH:mm`, `HH:mm:ss` and any fraction after `.`, `,` or `:`,
 *   then nothing, `Z`, `UTC`, `GMT`, `+HH`, `+HHmm` or `+HH:mm`, with or without a space before it;
 * - `MM/dd/yyyy` and `MM-dd-yyyy`, month and day of one or two digits;
 * - `ddd MM dd HH:mm:ss.TZD YYYY`.
 * No zone is UTC, no time is midnight, years are 0 to 9999, a fraction is cut to milliseconds. The calendar is checked;
 * a second of 60 and an hour of 24 are not taken. These are the forms by which a text of a custom attribute is known as a time;
 * others, like `20240101`, are numbers and codes as well.
 */
export function parseCommonTime(text: string): number | undefined {
  if (text.length < textCharsMin || text.length > textCharsMax) return undefined;
  const first = text.charCodeAt(0) - 0x30;
  if (first > 9) return parseWeekdayForm(text);
  if (!(first >= 0)) return undefined;
  return digits(text, 0, 4) >= 0 ? parseYearFirst(text) : parseMonthFirst(text);
}

/** The same where a time is asked for: every form of ISO 8601 that can be read in one way only, see parseIso(). */
export function parseTime(text: string): number | undefined {
  if (text.length < textCharsMin || text.length > textCharsMax) return undefined;
  return parseCommonTime(text) ?? parseIso(text);
}

/** The canonical form of a stored time. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether the text is a date of the calendar in the form `yyyy-MM-dd`. */
export function isDate(text: string): boolean {
  return text.length === "yyyy-MM-dd".length && digits(text, 0, 4) >= 0 && parseYearFirst(text) !== undefined;
}

function parseYearFirst(text: string): number | undefined {
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return undefined;
  const date = dateMs(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2));
  if (date === undefined || text.length === 10) return date;
  const separator = text.charCodeAt(10);
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return undefined;
  const time = clockMs(text, 11);
  return time === undefined ? undefined : date + time;
}

function parseMonthFirst(text: string): number | undefined {
  const monthEnd = digitsEnd(text, 0);
  const dayEnd = digitsEnd(text, monthEnd + 1);
  const mark = text.charCodeAt(monthEnd);
  if ((mark !== 0x2f && mark !== 0x2d) || text.charCodeAt(dayEnd) !== mark) return undefined;
  if (monthEnd > 2 || dayEnd - monthEnd > 3 || text.length !== dayEnd + 5) return undefined;
  return dateMs(digits(text, dayEnd + 1, 4), digits(text, 0, monthEnd), digits(text, monthEnd + 1, dayEnd - monthEnd - 1));
}

function parseWeekdayForm(text: string): number | undefined {
  // Nearly every text that gets here is prose, and leaves at its fourth character.
  if (text.charCodeAt(3) !== 0x20) return undefined;
  const [, month = "", day = "", clock = "", zone = "", year = ""] = weekdayForm.exec(text) ?? [];
  const name = monthNames.indexOf(month.toLowerCase());
  const date = dateMs(Number(year), name === -1 ? Number(month) : name / 3 + 1, Number(day));
  const time = clockMs(clock + zone, 0);
  return date === undefined || time === undefined || clock === "" ? undefined : date + time;
}

/** `HH:mm[:ss[.SSS]][zone]` from the place to the end of the text, as milliseconds after midnight UTC. */
function clockMs(text: string, at: number): number | undefined {
  const hour = digits(text, at, 2);
  const minute = digits(text, at + 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text.charCodeAt(at + 2) !== 0x3a) return undefined;
  const time = hour * hourMs + minute * minuteMs;
  if (text.charCodeAt(at + 5) !== 0x3a) return withZone(text, at + 5, time);
  const second = digits(text, at + 6, 2);
  if (second < 0 || second > 59) return undefined;
  return withFraction(text, at + 8, time + second * secondMs);
}

function withFraction(text: string, at: number, time: number): number | undefined {
  const mark = text.charCodeAt(at);
  if (mark !== 0x2e && mark !== 0x2c && mark !== 0x3a) return withZone(text, at, time);
  const end = digitsEnd(text, at + 1);
  if (end === at + 1) return undefined;
  const millis = Number(text.slice(at + 1, Math.min(end, at + 4)).padEnd(3, "0"));
  return withZone(text, end, time + millis);
}

function withZone(text: string, at: number, time: number): number | undefined {
  if (at === text.length) return time;
  const start = text.charCodeAt(at) === 0x20 ? at + 1 : at;
  const sign = text.charCodeAt(start);
  if (sign !== 0x2b && sign !== 0x2d) return isUtc(text.slice(start)) ? time : undefined;
  const offset = offsetMs(text, start + 1);
  if (offset === undefined) return undefined;
  return sign === 0x2b ? time - offset : time + offset;
}

/** `HH`, `HHmm` or `HH:mm` from the place to the end of the text. */
function offsetMs(text: string, at: number): number | undefined {
  const hours = digits(text, at, 2);
  const rest = text.length - at - 2;
  const minutes = rest === 0 ? 0 : digits(text, text.length - 2, 2);
  const isShaped = rest === 0 || rest === 2 || (rest === 3 && text.charCodeAt(at + 2) === 0x3a);
  if (!isShaped || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  return hours * hourMs + minutes * minuteMs;
}

function isUtc(zone: string): boolean {
  return zone === "Z" || zone === "z" || zone === "UTC" || zone === "GMT" || zone === "utc" || zone === "gmt";
}

function dateMs(year: number, month: number, day: number): number | undefined {
  if (year < 0 || day < 1 || day > (daysOfMonth[month - 1] ?? 0)) return undefined;
  if (month === 2 && day === 29 && !isLeapYear(year)) return undefined;
  return Date.UTC(year + calendarYears, month - 1, day) - calendarDays * dayMs;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % calendarYears === 0);
}

/** The number of so many digits at the place; -1 where one of them is something else. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let next = at; next < at + count; next += 1) {
    const digit = text.charCodeAt(next) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (digits(text, end, 1) >= 0) end += 1;
  return end;
}
