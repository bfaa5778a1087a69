/** The forms of ISO 8601 that few clients send: basic ones, week and ordinal dates, reduced times, 24:00 and leap seconds. */

const dayMs = 86_400_000;
const secondMs = 1_000;
/** Of a fraction, those that are looked at: an hour of them is still a safe integer. */
const fractionDigits = 9;
const dateForm =
  /^(?:(?<y1>\d{4})-(?<m1>\d\d)-(?<d1>\d\d)|(?<y2>\d{4})(?<m2>\d\d)(?<d2>\d\d)|(?<y3>\d{4})-?W(?<week>\d\d)-?(?<weekday>[1-7])|(?<y4>\d{4})-?(?<yearday>\d{3}))$/i;
const clockForm = /^(?:(?<h1>\d\d)(?::(?<n1>\d\d)(?::(?<s1>\d\d))?)?|(?<h2>\d\d)(?<n2>\d\d)(?<s2>\d\d)?)(?:[.,](?<fraction>\d+))?$/;
const zoneForm = /^(?:z|utc|gmt|(?<sign>[+-])(?:(?<zh1>\d\d)(?::?(?<zn1>\d\d))?|(?<zh2>\d)(?::(?<zn2>\d\d))?))$/i;

/** Date, time and zone of the text, each undefined where it has none; undefined where it is not of the forms. */
function partsOf(text: string): Parts | undefined {
  const [, date = "", mark, clock, zone] = /^([\dw-]{1,10})(?:([T ])([\d:.,]+)(?: ?([a-z]{1,3}|[+-][\d:]+))?)?$/i.exec(text) ?? [];
  const day = dateForm.exec(date)?.groups;
  const time = clock === undefined ? {} : clockForm.exec(clock)?.groups;
  const offset = zone === undefined ? {} : zoneForm.exec(zone)?.groups;
  return day && time && offset && { ...day, ...time, ...offset, mark };
}

/**
 * Unix milliseconds; undefined for what is none of these: `yyyyMMdd`, `yyyy-Www-D`, `yyyyWwwD`, `yyyy-DDD` and `yyyyDDD` beside
 * `yyyy-MM-dd`, alone (from eight characters on) or before `HH`, `HH:mm`, `HH:mm:ss`, `HHmm` or `HHmmss`, the last of them with a
 * fraction, and a zone as `Z`, `+H`, `+H:mm`, `+HH`, `+HHmm` or `+HH:mm`. 24:00 is the midnight after the day; a second of 60 is the one after it
 * and is taken at midnight UTC alone, where leap seconds are. What could be read in two ways (`+100`, a week without a day) is none.
 */
export function parseIso(text: string): number | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const day = dayOf(parts);
  const time = timeOf(parts);
  const offset = offsetOf(parts);
  if (day === undefined || time === undefined || offset === undefined) return undefined;
  const ms = day + time - offset;
  const isLeap = (parts["s1"] ?? parts["s2"]) === "60";
  return isLeap && modulo(ms, dayMs) >= secondMs ? undefined : ms;
}

type Parts = Readonly<Record<string, string | undefined>>;

function dayOf(parts: Parts): number | undefined {
  const year = Number(parts["y1"] ?? parts["y2"] ?? parts["y3"] ?? parts["y4"]);
  if (parts["week"] !== undefined) return weekDay(year, Number(parts["week"]), Number(parts["weekday"]));
  if (parts["yearday"] !== undefined) {
    const day = Number(parts["yearday"]);
    return day >= 1 && day <= daysIn(year) ? yearStart(year) + (day - 1) * dayMs : undefined;
  }
  const [month, day] = [Number(parts["m1"] ?? parts["m2"]), Number(parts["d1"] ?? parts["d2"])];
  const ms = yearStart(year, month, day);
  const read = new Date(ms);
  return read.getUTCMonth() === month - 1 && read.getUTCDate() === day ? ms : undefined;
}

/** Week 1 is the one with 4 January in it; weeks begin on Monday. */
function weekDay(year: number, week: number, weekday: number): number | undefined {
  const next = mondayOfWeek1(year + 1);
  const ms = mondayOfWeek1(year) + ((week - 1) * 7 + weekday - 1) * dayMs;
  return week >= 1 && ms < next ? ms : undefined;
}

function mondayOfWeek1(year: number): number {
  const fourth = yearStart(year, 1, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
}

/** Date.UTC takes the years 0 to 99 for those of the last century. */
function yearStart(year: number, month = 1, day = 1): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

function daysIn(year: number): number {
  return (yearStart(year + 1) - yearStart(year)) / dayMs;
}

function timeOf(parts: Parts): number | undefined {
  const hour = Number(parts["h1"] ?? parts["h2"] ?? 0);
  const minute = Number(parts["n1"] ?? parts["n2"] ?? 0);
  const second = Number(parts["s1"] ?? parts["s2"] ?? 0);
  const ms = ((hour * 60 + minute) * 60 + second) * secondMs + fractionMs(parts);
  return Number.isNaN(ms) || minute > 59 || second > 60 || hour > 24 || (hour === 24 && ms > dayMs) ? undefined : ms;
}

/** Of the smallest unit that is there. After a space `12.30` is how people write half past twelve, and no time of ISO 8601. */
function fractionMs(parts: Parts): number {
  const digits = parts["fraction"];
  if (digits === undefined) return 0;
  const hasMinute = parts["n1"] !== undefined || parts["n2"] !== undefined;
  if (!hasMinute && parts["mark"] === " ") return Number.NaN;
  const hasSecond = parts["s1"] !== undefined || parts["s2"] !== undefined;
  const unitMs = secondMs * (hasSecond ? 1 : hasMinute ? 60 : 3_600);
  return Math.floor((Number(digits.slice(0, fractionDigits).padEnd(fractionDigits, "0")) * unitMs) / 10 ** fractionDigits);
}

function offsetOf(parts: Parts): number | undefined {
  const hours = Number(parts["zh1"] ?? parts["zh2"] ?? 0);
  const minutes = Number(parts["zn1"] ?? parts["zn2"] ?? 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (parts["sign"] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60 * secondMs;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
