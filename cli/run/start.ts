/** heddle start: Heddle in one process, from the environment to a drained end. */
import type { Access } from "../../gateway/access/access.ts";
import type { AccessAdmin } from "../../gateway/access/store/sqlite.ts";
import { systemClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { runUntilSignal } from "../../platform/process.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { TelemetryConfig } from "../../platform/telemetry/config.ts";
import { asCalled } from "../shell/called-as.ts";
import { applyAtStart, readDeclaration } from "../declare/apply.ts";
import { declareUnknownGroups } from "../declare/declare-groups.ts";
import { demoCallsText, demoKeyText, keylessDemoText, makeDemo } from "./demo.ts";
import { type Embedded, openEmbedded } from "./embedded.ts";
import { folderProblem } from "./folder-problem.ts";
import { CommandError, print, reportFailure } from "../shell/output.ts";
import { readStartConfig, type StartConfig } from "../target/start-config.ts";
import { openLog, readSettings, warnOfMistyped } from "../target/settings.ts";
import { releaseSemiSpace } from "./v8-heap.ts";

export interface StartOptions {
  /** A declaration file to apply first. */
  readonly apply?: string;
  readonly demo: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs until a signal and answers with the exit code: 0 when everything taken was finished. */
export async function start(options: StartOptions): Promise<number> {
  const config = readSettings(options.env, readStartConfig);
  // A faulty file is reported before anything is opened
  const declaration = options.apply === undefined ? undefined : readDeclaration(options.apply);
  const logger = openLog(config.logLevel);
  warnOfMistyped(options.env, readStartConfig, logger);

  let demoKey: string | undefined;
  async function prepare(access: Access & AccessAdmin, database: Database): Promise<void> {
    if (declaration) await applyAtStart(access, declaration, database);
    if (options.demo) demoKey = await showDemo(access);
    await declareUnknownGroups({ database, logger }, access);
  }

  return await runUntilSignal<Embedded>({
    start: () => reportingFailure(() => open(config, { logger, prepare, demoKey: () => demoKey })),
    stop: (heddle) => heddle.close(),
    drainMsMax: config.gateway.leaveMs + limits.stopMsMax,
    logger: withoutStartFailure(logger),
  });
}

/** Shows the key before anything else can fail, as a later start finds a demo and makes none. */
async function showDemo(access: AccessAdmin): Promise<string | undefined> {
  const demo = await makeDemo(access, { isSeen: process.stdout.isTTY });
  if (demo !== undefined) print(demo.key === undefined ? asCalled(keylessDemoText) : demoKeyText(demo.key));
  return demo?.key;
}

async function open(
  config: StartConfig,
  options: {
    readonly logger: Logger;
    readonly prepare: (access: Access & AccessAdmin, database: Database) => Promise<void>;
    /** Of a demo that was made, known once all is open. */
    readonly demoKey: () => string | undefined;
  },
): Promise<Embedded> {
  const heddle = await openFolder(config, options);
  try {
    const { url, rpcUrl } = await heddle.listen();
    releaseSemiSpace();
    options.logger.info("listening", { url, ...(rpcUrl !== undefined && { rpcUrl }) });
    if (rpcUrl !== undefined) print(`RPCs are served on ${rpcUrl}`);
    print(`Heddle is listening on ${url}`);
    const key = options.demoKey();
    if (key !== undefined) print(demoCallsText(url, key, systemClock.now()));
    return heddle;
  } catch (error) {
    await heddle.close();
    throw addressProblem(error, addressesOf(config)) ?? error;
  }
}

async function openFolder(
  config: StartConfig,
  options: { logger: Logger; prepare: (access: Access & AccessAdmin, database: Database) => Promise<void> },
): Promise<Embedded> {
  try {
    return await openEmbedded(config, options.logger, options.prepare);
  } catch (error) {
    // The metrics are served before all else
    throw addressProblem(error, [metricsAddress(config.telemetry)]) ?? folderProblem(error, config.dataDir) ?? error;
  }
}

/** Says a failure in a sentence; what `runUntilSignal` would log of it is the same again. */
async function reportingFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    reportFailure(error);
    throw error;
  }
}

function withoutStartFailure(logger: Logger): Logger {
  return {
    ...logger,
    error(event, error, fields) {
      if (event !== "start_failed") logger.error(event, error, fields);
    },
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Its settings begin with this. */
  readonly variable: string;
}

function addressesOf({ rpc, gateway }: StartConfig): [Address, ...Address[]] {
  return [{ ...gateway, variable: "HEDDLE_HTTP" }, ...(rpc === undefined ? [] : [{ ...rpc, variable: "HEDDLE_RPC" }])];
}

function metricsAddress({ metricsHost, metricsPort = 0 }: TelemetryConfig): Address {
  return { host: metricsHost, port: metricsPort, variable: "HEDDLE_METRICS" };
}

/** Of the address whose port the error names, else of the first. What the system says of a file is none. */
function addressProblem(error: unknown, [first, ...others]: readonly [Address, ...Address[]]): CommandError | undefined {
  if (!(error instanceof Error) || "path" in error) return undefined;
  const meant = others.find((address) => "port" in error && error.port === address.port);
  const { host, port, variable } = meant ?? first;
  const texts = new Map<unknown, string>([
    [
      "EADDRINUSE",
      `Port ${port} of ${host} is in use: stop the program that has it, or set ${variable}_PORT to another port (0 takes a free one)`,
    ],
    ["EACCES", `This user may not listen on port ${port}: set ${variable}_PORT to a port from 1024 on`],
    ["EADDRNOTAVAIL", `The address ${host} is not one of this machine: set ${variable}_HOST to one that is`],
    ["ENOTFOUND", `Nothing is known of the host ${host}: set ${variable}_HOST to an address of this machine`],
  ]);
  const text = "code" in error ? texts.get(error.code) : undefined;
  return text === undefined ? undefined : new CommandError(text, { cause: error });
}
