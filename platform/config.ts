/** Configuration from a plain record of texts: typed readers that collect every problem and fail once. */
import { readFileSync } from "node:fs";
import { withoutEnd } from "./text-ends.ts";

/** The record that `main.ts` copies from the environment; nothing else reads the environment. */
export type ConfigRecord = Readonly<Record<string, string | undefined>>;

export interface ConfigProblem {
  readonly key: string;
  readonly expected: string;
  /** What stood there; undefined where the key was absent. Secrets are never shown. */
  readonly got: string | undefined;
}

/** Every problem of a configuration at once. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ key, expected, got }) => {
      return `  ${key}: expected ${expected}, got ${got === undefined ? "nothing" : JSON.stringify(got)}`;
    });
    super(`The configuration has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}\n${lines.join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Without a fallback a key is required. An empty text counts as absent, as environments cannot tell the two apart. */
export interface ConfigReader {
  /** `secret`: the value never stands in a problem. `choices`: the only values taken. */
  text<T extends string = string>(key: string, options?: TextOptions<T>): T;
  /** A whole number from `min` to `max`. */
  whole(key: string, options: { min: number; max: number; fallback?: number }): number;
  /** `250ms`, `10s`, `5m`, `2h`, `7d`, given back in milliseconds; the same bounds as `whole`. */
  durationMs(key: string, options: { min: number; max: number; fallback?: number }): number;
  /** `true`, `false`, `1`, `0`, `yes`, `no`, `on`, `off`. */
  flag(key: string, options?: { fallback?: boolean }): boolean;
  /** An http or https address without query, in its one form, no slash at its end. */
  url(key: string, options?: { fallback?: string }): string;
  /** Texts between commas, trimmed, empty ones left out. `isItem`: what each must be, which `expected` says in words. */
  list(key: string, options?: ListOptions): readonly string[];
  /** What stands in the file of this name; required. A certificate or its key, which never stand in a problem. */
  file(key: string): string;
}

interface ListOptions {
  readonly fallback?: readonly string[];
  readonly isItem?: (text: string) => boolean;
  readonly expected?: string;
}

interface TextOptions<T extends string> {
  readonly fallback?: T;
  readonly secret?: boolean;
  readonly choices?: readonly T[];
  /** What a problem says is expected, where that needs more than the choices. */
  readonly expected?: string;
}

/** Reads a frozen value from `record`. Throws ConfigError with all problems that `read` met. */
export function readConfig<T extends object>(record: ConfigRecord, read: (reader: ConfigReader) => T): Readonly<T> {
  const problems: ConfigProblem[] = [];
  const value = read(readerOf(record, problems));
  if (problems.length > 0) throw new ConfigError(problems.filter(({ key }, at) => problems.findIndex((other) => other.key === key) === at));
  return Object.freeze(value);
}

/** Every key that `read` may ask for, whatever is given and whatever is not. */
export function keysOf(read: (reader: ConfigReader) => object): ReadonlySet<string> {
  const keys = new Set<string>();
  function noting<T>(value: T): (key: string) => T {
    return (key) => {
      keys.add(key);
      return value;
    };
  }
  const given = { text: noting("1" as never), whole: noting(1), flag: noting(true), list: noting(["1"]) };
  const absent = { text: noting("" as never), whole: noting(0), flag: noting(false), list: noting([]) };
  for (const each of [given, absent]) read({ ...each, durationMs: each.whole, url: each.text, file: each.text });
  return keys;
}

function readerOf(record: ConfigRecord, problems: ConfigProblem[]): ConfigReader {
  /** What `parse` makes of the text; a placeholder, never seen by anybody, where there is a problem. */
  function value<T>(key: string, parse: (text: string) => T | undefined, options: Reading<T>): T {
    const text = (Object.hasOwn(record, key) ? record[key] : undefined)?.trim() || undefined;
    if (text === undefined && options.fallback !== undefined) return options.fallback;
    const parsed = text === undefined ? undefined : parse(text);
    if (parsed !== undefined) return parsed;
    const got = text !== undefined && options.secret ? "[redacted]" : text;
    problems.push({ key, expected: options.expected, got });
    return options.placeholder;
  }

  return {
    text<T extends string = string>(key: string, options: TextOptions<T> = {}): T {
      const { choices } = options;
      const expected = options.expected ?? (choices ? `one of ${choices.join(", ")}` : "a text");
      return value<T>(key, (text) => chosen(text, choices), { ...options, expected, placeholder: "" as T });
    },
    whole(key, options) {
      const expected = `a whole number from ${options.min} to ${options.max}`;
      return value(key, (text) => within(wholeOf(text), options), { ...options, expected, placeholder: 0 });
    },
    durationMs(key, options) {
      const expected = `a duration such as 250ms, 10s, 5m, 2h or 7d, from ${options.min}ms to ${options.max}ms`;
      return value(key, (text) => within(durationOf(text), options), { ...options, expected, placeholder: 0 });
    },
    flag(key, options = {}) {
      return value(key, (text) => flags.get(text.toLowerCase()), { ...options, expected: "true or false", placeholder: false });
    },
    url(key, options = {}) {
      return value(key, urlOf, { ...options, expected: "an address such as https://heddle.example.com", placeholder: "" });
    },
    file(key) {
      return value(key, readText, { expected: "the name of a file that can be read", placeholder: "" });
    },
    list(key, options = {}) {
      const { isItem = () => true, expected = "texts" } = options;
      return value<readonly string[]>(key, (text) => itemsOf(text, isItem), {
        ...options,
        expected: `${expected} between commas`,
        placeholder: [],
      });
    },
  };
}

interface Reading<T> {
  readonly fallback?: T | undefined;
  readonly secret?: boolean;
  readonly expected: string;
  readonly placeholder: T;
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["0", false],
  ["no", false],
  ["off", false],
]);

const msOf: ReadonlyMap<string | undefined, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

function chosen<T extends string>(text: string, choices: readonly T[] | undefined): T | undefined {
  return choices ? choices.find((choice) => choice === text) : (text as T);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function itemsOf(text: string, isItem: (text: string) => boolean): string[] | undefined {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  return items.every(isItem) ? items : undefined;
}

function urlOf(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username } = new URL(text);
  return search === "" && hash === "" && username === "" ? withoutEnd(`${origin}${pathname}`, "/") : undefined;
}

function wholeOf(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function durationOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = msOf.get(unit);
  return ms === undefined ? undefined : Number(count) * ms;
}

function within(value: number | undefined, bounds: { min: number; max: number }): number | undefined {
  return value !== undefined && value >= bounds.min && value <= bounds.max ? value : undefined;
}
