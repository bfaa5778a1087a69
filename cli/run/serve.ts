/** heddle serve: one part of the mesh as a process, from the environment to a drained end. */
import { setTimeout } from "node:timers/promises";

import { type MeshAccessConfig, openMeshTenants, readMeshAccess } from "../../gateway/mesh-access.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { ownProcess } from "../../platform/own-process.ts";
import { runUntilSignal } from "../../platform/process.ts";
import { Refusal } from "../../platform/refusal.ts";
import { readTelemetryConfig } from "../../platform/telemetry/config.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { openTelemetry } from "../../platform/telemetry/telemetry.ts";
import { meshParts } from "../target/mesh-parts.ts";
import { print, reportFailure, UsageError } from "../shell/output.ts";
import { openMeshGateway, readMeshGatewayConfig } from "./serve-gateway.ts";
import { openLog, readLogLevel, readSettings, warnOfMistyped } from "../target/settings.ts";
import { releaseSemiSpaceWhole } from "./v8-heap.ts";

export interface ServeOptions {
  /** A declaration file that the gateway applies first. */
  readonly apply?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs until a signal and answers with the exit code: 0 when everything taken was finished. */
export async function serve(part: string, options: ServeOptions): Promise<number> {
  if (options.apply !== undefined && part !== "gateway") throw new UsageError("--apply is for the gateway, which keeps who may call");
  if (part === "gateway") {
    return await run("gateway", options, {
      read: readMeshGatewayConfig,
      open: (config, deps) => openMeshGateway(config, deps, options),
      leaveMs: (config) => config.gateway.leaveMs,
    });
  }
  const loadPart = meshParts.get(part);
  if (loadPart) {
    const { serve: servePart } = await loadPart();
    return await servePart((read, open) =>
      run(part, options, {
        read: (reader) => ({ own: read(reader), access: readMeshAccess(reader) }),
        open: ({ own, access }, deps) =>
          withTenants(part, access, { deps, open: (all) => listening(part, open, { config: own, deps: all }) }),
      })
    );
  }
  const known = ["gateway", ...meshParts.keys()];
  throw new UsageError(`Expected the part ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, got "${part}"`);
}

/** A part knows which workspaces there are for as long as it serves, and operators see that it runs. */
async function withTenants(
  name: string,
  config: MeshAccessConfig,
  { deps, open }: { readonly deps: PartEnds; readonly open: (deps: PartEnds) => Promise<ServedPart> },
): Promise<ServedPart> {
  const tenants = await openMeshTenants(config, deps);
  try {
    const part = await open({ ...deps, tenants });
    const endAnnouncing = tenants.announce(ownProcess(name, deps.clock));
    return {
      url: part.url,
      health: () => part.health(),
      async close() {
        await part.close();
        await endAnnouncing();
        await tenants.close();
      },
    };
  } catch (error) {
    await tenants.close();
    throw error;
  }
}

async function listening<Config>(
  name: string,
  open: (config: Config, deps: PartEnds) => Promise<ServedPart>,
  { config, deps }: { config: Config; deps: PartEnds },
): Promise<ServedPart> {
  const part = await open(config, deps);
  deps.logger.info("listening", { url: part.url });
  print(`Heddle ${name} is listening on ${part.url}`);
  return part;
}

async function run<Config extends object>(
  name: string,
  { env }: ServeOptions,
  { read, open, leaveMs = () => 0 }: {
    readonly read: (reader: ConfigReader) => Config;
    readonly open: (config: Config, deps: PartEnds) => Promise<Pick<ServedPart, "health" | "close">>;
    /** How long the part goes on before it drains. */
    readonly leaveMs?: (config: Config) => number;
  },
): Promise<number> {
  function readAll(reader: ConfigReader) {
    return { part: read(reader), telemetry: readTelemetryConfig(reader), logLevel: readLogLevel(reader) };
  }
  const config = readSettings(env, readAll);
  const clock = systemClock;
  const logger = openLog(config.logLevel);
  warnOfMistyped(env, readAll, logger);
  return await runUntilSignal({
    async start(asked) {
      const telemetry = await openTelemetry(config.telemetry, { clock, logger, part: `heddle-${name}` });
      const part = await startPart(() => open(config.part, { clock, logger, telemetry }), { logger, asked });
      if (part === undefined) {
        await telemetry.close();
        return undefined;
      }
      releaseSemiSpaceWhole();
      telemetry.watch(() => part.health());
      return { part, telemetry };
    },
    async stop({ part, telemetry }) {
      await part.close();
      await telemetry.close();
    },
    drainMsMax: leaveMs(config.part) + limits.stopMsMax,
    logger,
  });
}

/** Tries again while NATS or Cassandra are not there, so that parts and servers may start in any order; undefined when asked to end. */
async function startPart<Part>(
  open: () => Promise<Part>,
  { logger, asked }: { readonly logger: Logger; readonly asked: AbortSignal },
): Promise<Part | undefined> {
  try {
    for (;;) {
      const part = await open().catch((error: unknown) => {
        if (!isAway(error)) throw error;
        logger.warn("waiting", { reason: error.reason, message: `${away.get(error.reason)}: ${error.message}`, cause: causeOf(error) });
      });
      if (part !== undefined) return part;
      await setTimeout(retryMs, undefined, { signal: asked }).catch(() => {});
      if (asked.aborted) return undefined;
    }
  } catch (error) {
    reportFailure(error);
    throw error;
  }
}

/** Of the driver: which address was asked, and what it said. */
function causeOf({ cause }: Refusal): string {
  return cause instanceof Error ? cause.message : "";
}

function isAway(error: unknown): error is Refusal {
  return error instanceof Refusal && away.has(error.reason);
}

/** What is waited for, by the reason of the refusal. */
const away: ReadonlyMap<string, string> = new Map([
  ["LOG_UNAVAILABLE", "NATS (HEDDLE_NATS_URL)"],
  ["STORE_UNAVAILABLE", "Cassandra (HEDDLE_CASSANDRA_CONTACT_POINTS)"],
  ["SERVICE_UNAVAILABLE", "another part"],
]);
const retryMs = 1_000;
