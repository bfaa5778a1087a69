/** heddle log adopt: begins a new epoch of the log, where streams or rows were lost or put back, after saying what is lost. */
import { errorText } from "../../platform/error-text.ts";
import { isUnmade } from "../../platform/cassandra/keyspace.ts";
import { systemClock } from "../../platform/clock.ts";
import { adopt as adoptInto } from "../../platform/epoch/adopt.ts";
import { findAll } from "../../platform/epoch/guard.ts";
import type { Found } from "../../platform/epoch/judge.ts";
import { type Adoption, planAdoption } from "../../platform/epoch/plan-adoption.ts";
import { newId } from "../../platform/identifier.ts";
import { connectJetStream } from "../../platform/log/jetstream-connection.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readEvents, readStreams, type StreamsConfig } from "../../platform/mesh-config.ts";
import { openEpochKeyspaces } from "../target/epoch-keyspaces.ts";
import { isWanted } from "../shell/ask.ts";
import { CommandError, exitCodes, type JsonOption, print, printError, printJson, printResult, UsageError } from "../shell/output.ts";
import { readSettings } from "../target/settings.ts";

export interface AdoptOptions extends JsonOption {
  readonly yes?: boolean;
  /** Also where everything fits. */
  readonly anyway?: boolean;
  readonly dataDir?: string;
  readonly env: NodeJS.ProcessEnv;
}

export async function adopt({ yes = false, anyway = false, json = false, env }: AdoptOptions): Promise<number> {
  if (!env["HEDDLE_CASSANDRA_CONTACT_POINTS"]) {
    throw new UsageError(
      "Expected the environment of the parts of a mesh: heddle start and heddle restore begin a new epoch by themselves",
    );
  }
  const { streams, events } = readSettings(env, (reader) => ({ streams: readStreams(reader), events: readEvents(reader) }));
  const logger = silentLogger;
  const connection = await connectJetStream({ ...streams.nats, logger });
  const keyspaces = await openEpochKeyspaces(env);
  try {
    const found: Found[] = [];
    for (const keyspace of keyspaces.all) {
      found.push(await migrated(keyspace.keyspace, () => findAll(connection, { ...keyspace, streams })));
    }
    const now = systemClock.now();
    const plan = planned(() => planAdoption({ found, now, anyway, newLogId: newId("log_", systemClock) }));
    if (plan === undefined) {
      printResult(
        { json },
        { adopted: false, epoch: null, faults: [], kept: [], lost: [] },
        "The log and the rows fit: there is nothing to adopt",
      );
      return exitCodes.ok;
    }
    // Before the operator is asked, whatever the answer
    const say = json ? printError : print;
    say(textOf(plan, streams));
    if (!yes && !(process.stdin.isTTY && await isWanted("Begin it?"))) {
      say("Nothing was changed. With --yes it is done without asking");
      if (json) printJson(planJson(plan, false));
      return exitCodes.failure;
    }
    await adoptInto({ connection, streams, events, watermarks: keyspaces.all.map(({ watermarks }) => watermarks), now, logger }, plan);
    printResult({ json }, planJson(plan, true), `Epoch ${plan.epoch.number} has begun. The parts see it within seconds and serve`);
    return exitCodes.ok;
  } finally {
    await keyspaces.close();
    await connection.close();
  }
}

async function migrated<T>(keyspace: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!isUnmade(error)) throw error;
    throw new CommandError(`The tables of ${keyspace} are missing or of an earlier build: run heddle migrate, then this again`);
  }
}

function planned<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    throw new CommandError(errorText(error));
  }
}

function planJson({ epoch, faults, kept, lost }: Adoption, adopted: boolean) {
  return { adopted, epoch, faults, kept, lost };
}

function textOf({ epoch, faults, kept, lost }: Adoption, { partitions, lanes }: Pick<StreamsConfig, "partitions" | "lanes">): string {
  return [
    ...(faults.length === 0 ? ["Everything fits."] : ["Found:", ...faults.map((fault) => `  ${fault}`)]),
    `Epoch ${epoch.number} of the log ${epoch.logId} would begin, behind everything that was ever given out. Streams that go on: ${
      kept.join(", ") || "none"
    }; the others are made anew.`,
    `HEDDLE_LOG_PARTITIONS is ${partitions} and HEDDLE_LOG_LANES ${lanes} here: parts with other numbers cannot open what is made.`,
    "Lost for good:",
    ...lost.map((what) => `  ${what}`),
    "What can still be put back (a copy of the streams or of the rows) has to be put back before, not after.",
  ].join("\n");
}
