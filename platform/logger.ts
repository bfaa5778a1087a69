/** The logger: one JSON line an event, secrets and personal data taken out, pino behind it. */
import { type Logger as Pino, pino } from "pino";
import { limits } from "./limits.ts";

export interface Logger {
  /** `event` is a constant name in snake_case; everything that varies goes into `fields`. */
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  /** Writes the whole cause chain of `error` once; call it only where the error is handled. */
  error(event: string, error: unknown, fields?: Fields): void;
  debug(event: string, fields?: Fields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: Fields): Logger;
}

export type Fields = Readonly<Record<string, unknown>>;
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Writes to standard output unless `write` is given, which takes each line with its line end. */
export function createLogger(options: { level: LogLevel; name: string; write?: (line: string) => void }): Logger {
  const settings = {
    level: options.level,
    // The host name would need a permission of its own under Deno, and every log collector knows it anyway
    base: { name: options.name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: "event",
  };
  return wrap(options.write ? pino(settings, { write: options.write }) : pino(settings));
}

/** Takes no note of anything; for tests and tools. */
export const silentLogger: Logger = {
  info: () => {},
  warn: () => {},
  error: () => {},
  debug: () => {},
  with: () => silentLogger,
};

/** Keys whose values never reach a log, compared in lower case without `_` and `-`. */
const secretKeys = new Set([
  "secret",
  "secrets",
  "password",
  "token",
  "authorization",
  "cookie",
  "setcookie",
  "apikey",
  "key",
  "email",
  "emails",
  "emailaddress",
  "phone",
  "phones",
  "phonenumber",
  "address",
  "externalid",
  "externalids",
  "aliasname",
  "useralias",
  "idempotencykey",
  "body",
  "record",
  "profile",
  "attributes",
  "properties",
  "headers",
]);

/** A copy of `value` that is safe to write: secrets replaced, depth, breadth and text length bounded, no cycles. */
function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return clip(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= limits.logFieldDepthMax) return "[deeper]";
  if (Array.isArray(value)) return value.slice(0, limits.logFieldItemsMax).map((item) => redact(item, depth + 1));
  const entries = Object.entries(value).slice(0, limits.logFieldItemsMax);
  return Object.fromEntries(entries.map(([key, item]) => [clip(key), hidden(key) ? "[redacted]" : redact(item, depth + 1)]));
}

function wrap(inner: Pino): Logger {
  function line(level: "debug" | "info" | "warn", event: string, fields?: Fields): void {
    if (inner.isLevelEnabled(level)) inner[level](safeFields(fields), event);
  }
  return {
    debug: (event, fields) => line("debug", event, fields),
    info: (event, fields) => line("info", event, fields),
    warn: (event, fields) => line("warn", event, fields),
    error(event, error, fields) {
      if (!inner.isLevelEnabled("error")) return;
      inner.error({ ...safeFields(fields), error: describeError(error) }, event);
    },
    with: (fields) => wrap(inner.child(safeFields(fields))),
  };
}

/** What every line has; a field of that name would give the line two of them. */
const ownKeys: ReadonlySet<string> = new Set(["level", "time", "name", "event"]);

function safeFields(fields: Fields = {}): Fields {
  const entries = Object.entries(redact(fields) as Fields);
  return Object.fromEntries(entries.map(([key, value]) => [ownKeys.has(key) ? `field_${key}` : key, value]));
}

/** The error and its causes, outermost first, bounded even where an error is its own cause. */
function describeError(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && chain.length < limits.logCausesMax) {
    if (!(current instanceof Error)) {
      chain.push({ thrown: redact(current, limits.logFieldDepthMax - 1) });
      break;
    }
    const { reason, code } = current as { reason?: unknown; code?: unknown };
    chain.push({
      type: current.name,
      ...(typeof reason === "string" ? { reason } : {}),
      ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
      message: clip(current.message),
      stack: current.stack === undefined ? undefined : clip(current.stack, limits.logStackCharsMax),
    });
    current = current.cause;
  }
  return chain;
}

function hidden(key: string): boolean {
  const plain = key.toLowerCase().replaceAll("_", "").replaceAll("-", "");
  return secretKeys.has(plain) || plain.endsWith("secret") || plain.endsWith("token") || plain.endsWith("apikey");
}

function clip(text: string, charsMax: number = limits.logTextCharsMax): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}[${text.length - charsMax} more]`;
}
