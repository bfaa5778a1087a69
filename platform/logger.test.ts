/** The logger: one line an event, and nothing in it that should not leave the process. */
import { describe, expect, test } from "vitest";
import { limits } from "./limits.ts";
import { createLogger, type Logger } from "./logger.ts";
import { Refusal } from "./refusal.ts";

function logged(use: (logger: Logger) => void, level: "debug" | "info" | "error" | "silent" = "info") {
  const lines: string[] = [];
  use(createLogger({ level, name: "test", write: (line) => lines.push(line) }));
  return lines;
}

function firstOf(use: (logger: Logger) => void): Record<string, unknown> {
  return JSON.parse(logged(use)[0] ?? "{}") as Record<string, unknown>;
}

describe("createLogger()", () => {
  test("writes one JSON line an event, with level, name and time", () => {
    const lines = logged((logger) => logger.info("server_listening", { url: "http://127.0.0.1:8080" }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      name: "test",
      event: "server_listening",
      url: "http://127.0.0.1:8080",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("leaves out what is below its level", () => {
    expect(logged((logger) => logger.debug("x"))).toEqual([]);
    expect(logged((logger) => logger.info("x"), "error")).toEqual([]);
    expect(logged((logger) => logger.error("x", new Error("y")), "silent")).toEqual([]);
  });

  test("keeps one line whatever the fields hold", () => {
    const lines = logged((logger) => logger.warn("x", { text: "a\r\nb\u001b[31m\u2028", huge: "h".repeat(1_000_000) }));
    for (const raw of ["\r", "\u001b"]) expect(lines[0]).not.toContain(raw);
    expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
    expect(lines[0]?.length).toBeLessThan(3 * limits.logTextCharsMax);
  });

  test.each([
    "secret",
    "Authorization",
    "api_key",
    "apiKey",
    "x-api-key",
    "email",
    "phone",
    "external_id",
    "externalId",
    "body",
    "password",
    "client_secret",
    "accessToken",
    "set-cookie",
    "headers",
    "user_alias",
    "Idempotency-Key",
  ])("never writes the value of %s, at any depth", (key) => {
    const value = "pl4nted-value";
    const lines = logged((logger) => {
      logger.info("x", { [key]: value });
      logger.warn("x", { request: { list: [{ [key]: { inner: value } }] } });
      logger.error("x", new Error("y"), { [key]: value });
      logger.with({ [key]: value }).info("x");
    });
    expect(lines).toHaveLength(4);
    expect(lines.join("")).not.toContain(value);
    expect(lines[0]).toContain("[redacted]");
  });

  test("error() writes the whole cause chain once, outermost first", () => {
    const inner = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    const line = firstOf((logger) =>
      logger.error("x", new Refusal("STORE_UNAVAILABLE", "outer", { cause: new Error("middle", { cause: inner }) }))
    );
    expect(line["error"]).toMatchObject([
      { type: "Refusal", reason: "STORE_UNAVAILABLE", message: "outer" },
      { type: "Error", message: "middle" },
      { type: "Error", code: "ENOSPC", message: "disk full" },
    ]);
  });

  test("error() takes anything that was thrown, and an error that is its own cause", () => {
    const own = new Error("own");
    own.cause = own;
    expect((firstOf((logger) => logger.error("x", own))["error"] as unknown[]).length).toBe(limits.logCausesMax);
    expect(firstOf((logger) => logger.error("x", "text"))["error"]).toEqual([{ thrown: "text" }]);
    expect(firstOf((logger) => logger.error("x", undefined))["error"]).toEqual([]);
  });

  test("takes cycles, bytes, bigints and deep values", () => {
    const cycle: Record<string, unknown> = { bytes: new Uint8Array(3), big: 5n };
    cycle["self"] = cycle;
    expect(firstOf((logger) => logger.info("x", cycle))).toMatchObject({ bytes: "[3 bytes]", big: "5", self: { big: "5" } });
  });

  test("a field cannot take the place of level, event or time", () => {
    const lines = logged((logger) => logger.info("real", { event: "forged", level: "debug", time: "1970" }));
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ event: "real", level: "info" });
    expect(lines[0]?.match(/"(event|level|time)":/g)).toHaveLength(3);
  });
});
