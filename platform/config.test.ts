/** Configuration: typed values, or every problem at once. */
import { describe, expect, test } from "vitest";
import { ConfigError, type ConfigRecord, keysOf, readConfig } from "./config.ts";

function settings(record: ConfigRecord) {
  return readConfig(record, (reader) => ({
    host: reader.text("HOST", { fallback: "127.0.0.1" }),
    level: reader.text("LEVEL", { choices: ["info", "debug"], fallback: "info" }),
    secret: reader.text("SECRET", { secret: true, fallback: "" }),
    port: reader.whole("PORT", { min: 0, max: 65_535, fallback: 8080 }),
    drainMs: reader.durationMs("DRAIN", { min: 0, max: 60_000, fallback: 10_000 }),
    verbose: reader.flag("VERBOSE", { fallback: false }),
    proxies: reader.list("PROXIES", { fallback: [] }),
  }));
}

function problemsOf(call: () => unknown): ConfigError {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("Expected a ConfigError");
}

describe("readConfig()", () => {
  const standard = { host: "127.0.0.1", level: "info", secret: "", port: 8080, drainMs: 10_000, verbose: false, proxies: [] };

  test.each<[ConfigRecord, object]>([
    [{}, {}],
    [{ HOST: "", PORT: "  " }, {}],
    [{ HOST: " 0.0.0.0 ", PORT: "0", LEVEL: "debug" }, { host: "0.0.0.0", port: 0, level: "debug" }],
    [{ DRAIN: "250ms" }, { drainMs: 250 }],
    [{ DRAIN: "5s" }, { drainMs: 5_000 }],
    [{ DRAIN: "1m" }, { drainMs: 60_000 }],
    [{ VERBOSE: "TRUE" }, { verbose: true }],
    [{ VERBOSE: "off" }, { verbose: false }],
    [{ PROXIES: "10.0.0.0/8, ::1 ,," }, { proxies: ["10.0.0.0/8", "::1"] }],
    [{ constructor: "x" } as unknown as ConfigRecord, {}],
  ])("reads %j", (record, expected) => {
    expect(settings(record)).toEqual({ ...standard, ...expected });
    expect(Object.isFrozen(settings(record))).toBe(true);
  });

  test.each<[ConfigRecord, string, string]>([
    [{ PORT: "65536" }, "PORT", "a whole number from 0 to 65535"],
    [{ PORT: "80.5" }, "PORT", "a whole number from 0 to 65535"],
    [{ PORT: "0x10" }, "PORT", "a whole number from 0 to 65535"],
    [{ DRAIN: "10" }, "DRAIN", "a duration such as 250ms, 10s, 5m, 2h or 7d, from 0ms to 60000ms"],
    [{ DRAIN: "2m" }, "DRAIN", "a duration such as 250ms, 10s, 5m, 2h or 7d, from 0ms to 60000ms"],
    [{ VERBOSE: "maybe" }, "VERBOSE", "true or false"],
    [{ LEVEL: "loud" }, "LEVEL", "one of info, debug"],
  ])("refuses %j", (record, key, expected) => {
    expect(problemsOf(() => settings(record)).problems).toEqual([{ key, expected, got: record[key] }]);
  });

  test("tells every problem at once, in lines a person can act on", () => {
    const error = problemsOf(() => settings({ PORT: "x", LEVEL: "loud", VERBOSE: "?" }));
    expect(error.message).toBe(
      [
        "The configuration has 3 problems",
        '  LEVEL: expected one of info, debug, got "loud"',
        '  PORT: expected a whole number from 0 to 65535, got "x"',
        '  VERBOSE: expected true or false, got "?"',
      ].join("\n"),
    );
  });

  test("requires a key that has no fallback", () => {
    const error = problemsOf(() => readConfig({}, (reader) => ({ path: reader.text("DATA_DIR") })));
    expect(error.message).toContain("DATA_DIR: expected a text, got nothing");
  });

  test("never shows a secret", () => {
    const read = () => readConfig({ KEY: "s3cret" }, (reader) => ({ key: reader.text("KEY", { secret: true, choices: ["other"] }) }));
    expect(problemsOf(read).message).toContain('got "[redacted]"');
  });
});

test("keysOf() gives the keys that are asked for, also those that hang on others", () => {
  const keys = keysOf((reader) => {
    const isSecret = reader.text("CERT", { fallback: "" }) !== "";
    return { key: isSecret ? reader.file("CERT_KEY") : reader.url("PLAIN"), ms: reader.durationMs("MS", { min: 0, max: 1 }) };
  });
  expect([...keys].toSorted()).toEqual(["CERT", "CERT_KEY", "MS", "PLAIN"]);
});
