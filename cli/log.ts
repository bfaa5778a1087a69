/** heddle log: how far the log is applied, what it cannot apply, and what to do about it. */
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import type { SetAsidePlace } from "../platform/lane/hold-back.ts";
import { openSqliteLog } from "../platform/log/sqlite.ts";
import { readPeer } from "../platform/mesh-config.ts";
import { connectClient } from "../platform/rpc/client.ts";
import { LogService } from "../proto/gen/heddle/log/v1/log_service_pb.ts";
import { type LogOperation, openLogOperation } from "../services/profile/wire.ts";
import { consentLanes, redriveConsent, skipConsent } from "./consent-unread.ts";
import { dataFolder, withAccess } from "./data-folder.ts";
import { exitCodes, type JsonOption, print, printJson, printResult, table, UsageError } from "./output.ts";
import { readSettings } from "./settings.ts";

interface PlaceOptions extends JsonOption {
  readonly dataDir?: string;
}

export async function status(options: PlaceOptions): Promise<number> {
  const { lags: intake, held, setAside } = await withLog(options, (log) => log.status());
  const { lags: consent, unread } = await consentLanes(options);
  const lags = [...intake, ...consent];
  if (options.json) {
    printJson({ lags, held, setAside: setAside.map(({ partition, sequence, reason }) => ({ partition, sequence, reason })), unread });
    return exitCodes.ok;
  }
  print(table(["LANE", "BEHIND", "SECONDS"], lags.map(({ lane, records, seconds }) => [lane, String(records), seconds?.toFixed(1) ?? ""])));
  if (held.length > 0) {
    const rows = held.map(({ workspaceId, userId, mark, reason }) => [workspaceId, userId, mark.join("."), plain(reason)]);
    print(`\n${table(["WORKSPACE", "HELD USER", "AT", "BECAUSE"], rows)}`);
  }
  if (setAside.length > 0) {
    print(
      `\n${
        table(
          ["SET ASIDE", "AT", "BECAUSE"],
          setAside.map((record) => [String(record.partition), String(record.sequence), plain(record.reason)]),
        )
      }`,
    );
  }
  if (unread.length > 0) {
    const rows = unread.map(({ lane, workspaceId, key, sequence, part, reason }) => {
      return [lane, workspaceId, plain(key.replaceAll("\n", " ")), `${sequence}.${part}`, plain(reason)];
    });
    print(`\n${table(["CONSENT WAITS", "WORKSPACE", "OF", "AT", "BECAUSE"], rows)}`);
  }
  if (held.length + setAside.length + unread.length === 0) print("\nNothing waits for a human");
  return exitCodes.ok;
}

export async function redrive(options: PlaceOptions): Promise<number> {
  const { users, records } = await withLog(options, (log) => log.redrive());
  const consent = await redriveConsent(options);
  const lines = [users === 0 ? "Nobody is held" : `${users} held users are tried once more`];
  if (records > 0) lines.push(`${records} records that were set aside are tried once more, behind all others`);
  if (consent > 0) lines.push(`${consent} records of consent are tried once more`);
  printResult(options, { users, records, consent }, lines.join("\n"));
  return exitCodes.ok;
}

export async function skip(
  options: PlaceOptions & {
    readonly workspace?: string;
    readonly user?: string;
    readonly lane?: string;
    readonly partition?: string;
    readonly at: string;
  },
): Promise<number> {
  if (options.partition !== undefined) return await skipInPartition(options, options.partition);
  const [, sequence = "", part = ""] = /^(\d{1,15})[.](\d{1,9})$/.exec(options.at) ?? [];
  if (sequence === "") throw new UsageError(`Expected a place such as 17.0, got "${options.at}"`);
  const { workspace: workspaceId, user, lane } = options;
  if (workspaceId === undefined) throw new UsageError("Expected --workspace, or --partition for a record that was set aside");
  if (lane !== undefined) return await skipInLane(options, lane, { workspaceId, sequence: Number(sequence), part: Number(part) });
  if (user === undefined) throw new UsageError("Expected --user, or --lane for a record of consent");
  await withLog(options, (log) => log.skip({ workspaceId, userId: user, mark: [Number(sequence), Number(part)] }));
  const skipped = { workspaceId, userId: user, at: options.at };
  printResult(options, { skipped }, `The record at ${options.at} of user ${user} is passed over`);
  return exitCodes.ok;
}

async function skipInPartition(options: PlaceOptions & { readonly at: string }, given: string): Promise<number> {
  const isPlace = /^\d{1,5}$/.test(given) && /^\d{1,15}$/.test(options.at);
  if (!isPlace) throw new UsageError(`Expected numbers as in --partition 3 --at 17, got "${given}" and "${options.at}"`);
  await withLog(options, (log) => log.skipSetAside({ partition: Number(given), sequence: Number(options.at) }));
  const skipped = { partition: Number(given), at: options.at };
  printResult(options, { skipped }, `The record at ${options.at} of partition ${given} is given up`);
  return exitCodes.ok;
}

async function skipInLane(options: PlaceOptions, lane: string, at: SetAsidePlace): Promise<number> {
  if (lane !== "subscription" && lane !== "messaging-status") {
    throw new UsageError(`Expected subscription or messaging-status, got "${lane}"`);
  }
  if (!await skipConsent(options, lane, at)) {
    throw new UsageError("Expected HEDDLE_SUBSCRIPTION_URL and HEDDLE_MESSAGING_STATUS_URL, which say where the services are");
  }
  const skipped = { workspaceId: at.workspaceId, lane, at: `${at.sequence}.${at.part}` };
  printResult(options, { skipped }, `The record at ${skipped.at} of the lanes of ${lane} is passed over`);
  return exitCodes.ok;
}

async function withLog<T>({ dataDir }: PlaceOptions, work: (log: LogOperation) => Promise<T>): Promise<T> {
  if (dataDir === undefined && process.env["HEDDLE_PROFILE_URL"]) return await withMeshLog(work);
  return await withAccess(dataFolder(dataDir), { create: false }, async (_, database) => {
    const log = await openSqliteLog({ database, partitions: embeddedPartitions, clock: systemClock });
    try {
      return await work(await openLogOperation(database, { partitions: embeddedPartitions, tail: (partition) => log.tail(partition) }));
    } finally {
      await log.close();
    }
  });
}

/** As cli/embedded.ts opens it. */
const embeddedPartitions = 1;

async function withMeshLog<T>(work: (log: LogOperation) => Promise<T>): Promise<T> {
  const peer = readSettings(process.env, (reader) => readPeer(reader, "profile"));
  const { client, close } = connectClient(LogService, { ...peer, caller: "operator", deadlineMs: limits.drainMsMax, clock: systemClock });
  try {
    return await work({
      async status() {
        const { lags, held, setAside } = await client.getStatus({});
        return {
          lags: lags.map(({ lane, records, seconds }) => ({ lane, records: Number(records), seconds })),
          held: held.map(({ workspaceId, userId, reason, sequence, part }) => ({
            workspaceId,
            userId,
            reason,
            mark: [Number(sequence), part] as const,
          })),
          setAside: setAside.map(({ partition, sequence, reason }) => ({ partition, sequence: Number(sequence), reason })),
        };
      },
      async redrive() {
        const { users, records } = await client.redrive({});
        return { users, records };
      },
      async skipSetAside({ partition, sequence }) {
        await client.skip({ partition, sequence: BigInt(sequence) });
      },
      async skip({ workspaceId, userId, mark: [sequence, part] }) {
        await client.skip({ workspaceId, userId, sequence: BigInt(sequence), part });
      },
    });
  } finally {
    close();
  }
}

/** What clients sent may stand in a reason; a terminal shall show it and not obey it. */
function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?");
}
