/** heddle serve: one part of the mesh as a process, from the environment to a drained end. */
import { setTimeout } from "node:timers/promises";

import { type Clock, systemClock } from "../platform/clock.ts";
import type { ConfigReader } from "../platform/config.ts";
import { limits } from "../platform/limits.ts";
import { createLogger, type Logger, type LogLevel } from "../platform/logger.ts";
import { runUntilSignal } from "../platform/process.ts";
import { Refusal } from "../platform/refusal.ts";
import { meshParts, type ServedPart } from "./mesh-parts.ts";
import { print, reportFailure, UsageError } from "./output.ts";
import { openMeshGateway, readMeshGatewayConfig } from "./serve-gateway.ts";
import { readSettings } from "./settings.ts";

export { readSettings };

export interface ServeOptions {
  /** A declaration file that the gateway applies first. */
  readonly apply?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs until a signal and answers with the exit code: 0 when everything taken was finished. */
export async function serve(part: string, options: ServeOptions): Promise<number> {
  if (options.apply !== undefined && part !== "gateway") throw new UsageError("--apply is for the gateway, which keeps who may call");
  if (part === "gateway") {
    return await run(options, readMeshGatewayConfig, (config, logger) => openMeshGateway(config, logger, options.apply));
  }
  const servePart = meshParts.get(part);
  if (servePart) return await servePart((read, open) => run(options, read, (config, logger) => listening(part, open, { config, logger })));
  const known = ["gateway", ...meshParts.keys()];
  if (notYet.has(part)) throw new UsageError(`The part "${part}" has no driver for the mesh yet: it runs within heddle start only`);
  throw new UsageError(`Expected the part ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, got "${part}"`);
}

async function listening<Config>(
  name: string,
  open: (config: Config, parts: { clock: Clock; logger: Logger }) => Promise<ServedPart>,
  { config, logger }: { config: Config; logger: Logger },
): Promise<ServedPart> {
  const part = await open(config, { clock: systemClock, logger });
  logger.info("listening", { url: part.url });
  print(`Heddle ${name} is listening on ${part.url}`);
  return part;
}

const notYet: ReadonlySet<string> = new Set(["subscription", "messaging-status", "content"]);
const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

async function run<Config extends object>(
  { env }: ServeOptions,
  read: (reader: ConfigReader) => Config,
  open: (config: Config, logger: Logger) => Promise<{ close(): Promise<void> }>,
): Promise<number> {
  const config = readSettings(env, (reader) => ({
    part: read(reader),
    logLevel: reader.text("HEDDLE_LOG_LEVEL", { fallback: "info", choices: levels }),
  }));
  const logger = createLogger({ level: config.logLevel, name: "heddle", write: (line) => process.stderr.write(line) });
  return await runUntilSignal({
    start: () => startPart(() => open(config.part, logger), logger),
    stop: (part) => part.close(),
    drainMsMax: limits.stopMsMax,
    logger,
  });
}

/** Tries again while NATS or Cassandra are not there, so that parts and servers may start in any order. */
async function startPart<Part>(open: () => Promise<Part>, logger: Logger): Promise<Part> {
  let asked = false;
  const signals = ["SIGTERM", "SIGINT"] as const;
  function ask(): void {
    asked = true;
  }
  for (const signal of signals) process.once(signal, ask);
  try {
    for (;;) {
      const part = await open().catch((error: unknown) => {
        if (asked || !isAway(error)) throw error;
        logger.warn("waiting", { reason: error.reason, message: error.message });
      });
      if (part !== undefined) return part;
      await setTimeout(retryMs);
    }
  } catch (error) {
    reportFailure(error);
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, ask);
  }
}

function isAway(error: unknown): error is Refusal {
  return error instanceof Refusal && away.has(error.reason);
}

const away: ReadonlySet<string> = new Set(["LOG_UNAVAILABLE", "STORE_UNAVAILABLE"]);
const retryMs = 1_000;
