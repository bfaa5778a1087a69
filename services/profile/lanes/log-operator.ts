/** What an operator asks of the profile service: how far it is, what it cannot apply, and to try again or to pass over. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { ShownRecord } from "../../../platform/lane/shown-record.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log } from "../../../platform/log/log.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Lag } from "../../../platform/telemetry/lag.ts";
import type { LogService, SkipRequest } from "../../../proto/gen/heddle/log/v1/log_service_pb.ts";
import type { BlockedUser, DeadLetter, DeadLetterId, IdentityWriter, ProfileStore } from "../domain/ports.ts";
import type { RecordId } from "../../../platform/age.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import { type Addressed, userOfItem } from "../domain/resolve/lane-item.ts";
import { alreadyThere, appendAgain, lettersToAppend } from "../intake/redriven.ts";
import { packItem, packLaneMessage } from "./profile-lane.ts";
import { type BlockedRecordId, foundDeadLetter, showRecord } from "./show-record.ts";

export interface LogOperation {
  status(): Promise<LogStatus>;
  /** Dead letters behind a place, in the order in which status() has the first ones; none: those were all. */
  deadLettersBehind(id: DeadLetterId): Promise<readonly DeadLetter[]>;
  /** The content of a record that waits. Refuses NOT_FOUND. */
  show(at: BlockedRecordId | DeadLetterId): Promise<ShownRecord>;
  /** How many blocked users, and how many dead letters, will be tried once more. */
  redrive(): Promise<{ readonly users: number; readonly records: number }>;
  /** Refuses NOT_FOUND and STATE_CONFLICT as heddle.log.v1 does. */
  skip(of: BlockedRecordId): Promise<void>;
  /** Gives up a record that was set aside. Refuses NOT_FOUND. */
  skipSetAside(at: DeadLetterId): Promise<void>;
}

/** heddle.log.v1 over the operation. */
export function logService(operation: LogOperation): ServiceImpl<typeof LogService> {
  return {
    getStatus: async () => statusMessage(await operation.status()),
    async listSetAside({ partition, sequence }) {
      return { setAside: (await operation.deadLettersBehind({ partition, sequence: Number(sequence) })).map(deadLetterMessage) };
    },
    showRecord: async (asked) => ({ record: await operation.show(recordIdOf(asked)) }),
    redrive: () => operation.redrive(),
    async skip(asked) {
      const id = recordIdOf(asked);
      if ("userId" in id) await operation.skip(id);
      else await operation.skipSetAside(id);
      return {};
    },
  };
}

/** What an operation stands on: the rows, and where goes what an operator asks for. */
export interface LogOperationDeps extends Pick<LogOperation, "redrive" | "skip" | "skipSetAside"> {
  readonly profiles: Pick<ProfileStore, "listBlocked" | "loadBlocked" | "listSetAside" | "loadDeadLetter">;
  readonly lags: () => Promise<LogStatus["lags"]>;
}

/** The same in both shapes: `skip` and `skipSetAside` of `deps` are called for what there is to skip. */
export function logOperation({ profiles, ...deps }: LogOperationDeps): LogOperation {
  return {
    async status() {
      const [lags, blocked, deadLetters] = await Promise.all([
        deps.lags(),
        blockedUsers(profiles),
        profiles.listSetAside(limits.heldRedriveMax),
      ]);
      return { lags, blocked, deadLetters };
    },
    deadLettersBehind: (id) => profiles.listSetAside(limits.heldRedriveMax, id),
    show: (at) => showRecord(profiles, at),
    redrive: () => deps.redrive(),
    async skip(of) {
      checkSkip((await profiles.loadBlocked(of.workspaceId, [of.userId], 1)).get(of.userId), of);
      await deps.skip(of);
    },
    async skipSetAside(at) {
      await foundDeadLetter(profiles, at);
      await deps.skipSetAside(at);
    },
  };
}

export interface LogOperatorDeps extends Pick<LogOperationDeps, "lags"> {
  readonly profiles: LogOperationDeps["profiles"] & Pick<ProfileStore, "allBlocked">;
  readonly identities: Pick<IdentityWriter, "forgetSetAside">;
  readonly intake: Pick<Log, "append" | "tail">;
  readonly lanes: Pick<Log, "append">;
  readonly layout: LaneLayout;
}

/** Over the lanes of the mesh: what is asked for travels in the users' lanes, behind everything before it. */
export function logOperator(deps: LogOperatorDeps): LogOperation {
  const { profiles, identities, intake, lags } = deps;
  return logOperation({
    profiles,
    lags,
    async redrive() {
      const users = await redriveUsers(deps);
      return { users, records: await appendAgain(alreadyThere(lettersToAppend(profiles), intake), intake, identities) };
    },
    skip: ({ workspaceId, userId, mark }) => send(deps, [{ workspaceId, item: { type: "skip", userId, mark } }]),
    skipSetAside: (at) => identities.forgetSetAside(at),
  });
}

/** Asks for all blocked users; how many. A user who waits for one of them comes free after it. */
export async function redriveUsers(deps: LaneDeps & { readonly profiles: Pick<ProfileStore, "allBlocked"> }): Promise<number> {
  let users = 0;
  for await (const blocked of deps.profiles.allBlocked()) {
    await send(deps, blocked.map(({ workspaceId, userId }) => ({ workspaceId, item: { type: "redrive", userId } })));
    users += blocked.length;
  }
  return users;
}

/** One message a lane. */
async function send({ lanes, layout }: LaneDeps, items: readonly Addressed[]): Promise<void> {
  const byLane = Map.groupBy(items, ({ workspaceId, item }) => layout.laneOf(workspaceId, laneKeyOf(workspaceId, userOfItem(item))));
  for (const [lane, some] of byLane) await lanes.append(layout.profile(lane), packLaneMessage(some.map(packItem)));
}

type LaneDeps = Pick<LogOperatorDeps, "lanes" | "layout">;

/** Which record is meant: that of a held user, or without one that of the intake. */
function recordIdOf({ workspaceId, userId, sequence, part, partition }: Omit<SkipRequest, "$typeName">): BlockedRecordId | DeadLetterId {
  return userId === "" ? { partition, sequence: Number(sequence) } : { workspaceId, userId, mark: [Number(sequence), part] };
}

interface LogStatus {
  /** Without seconds where no process was asked that looks regularly. */
  readonly lags: readonly (Omit<Lag, "seconds"> & Partial<Pick<Lag, "seconds">>)[];
  readonly blocked: readonly BlockedRow[];
  readonly deadLetters: readonly DeadLetter[];
}

function statusMessage({ lags, blocked, deadLetters }: LogStatus) {
  return {
    lags: lags.map(({ lane, records, seconds = 0 }) => ({ lane, records: BigInt(records), seconds })),
    held: blocked.map(({ mark: [sequence, part], ...user }) => ({ ...user, sequence: BigInt(sequence), part })),
    setAside: deadLetters.map(deadLetterMessage),
  };
}

function deadLetterMessage({ partition, sequence, reason }: DeadLetter) {
  return { partition, sequence: BigInt(sequence), reason };
}

interface BlockedRow {
  readonly workspaceId: string;
  readonly userId: string;
  readonly reason: string;
  /** Of the record that waits first. */
  readonly mark: RecordId;
}

/** Up to `heldRedriveMax` blocked users, with the record that waits first. */
async function blockedUsers(profiles: Pick<ProfileStore, "listBlocked" | "loadBlocked">): Promise<BlockedRow[]> {
  const rows: BlockedRow[] = [];
  for (const { workspaceId, userId, reason } of await profiles.listBlocked(limits.heldRedriveMax)) {
    const first = (await profiles.loadBlocked(workspaceId, [userId], 1)).get(userId)?.records[0];
    if (first !== undefined) rows.push({ workspaceId, userId, reason, mark: first.mark });
  }
  return rows;
}

/** Only what stands first and cannot be applied is passed over: a user who waits for another comes free with that one. */
function checkSkip(blocked: BlockedUser | undefined, { userId, mark }: { readonly userId: string; readonly mark: RecordId }): void {
  const first = blocked?.records[0];
  if (blocked === undefined || first === undefined) throw new Refusal("NOT_FOUND", `Expected a blocked user, got "${userId}", who is not`);
  if (blocked.reason.startsWith(waits)) throw new Refusal("STATE_CONFLICT", `${blocked.reason}: skip what holds that one back`);
  if (first.mark[0] === mark[0] && first.mark[1] === mark[1]) return;
  throw new Refusal("STATE_CONFLICT", `Expected ${first.mark.join(".")}, the record that waits first, got ${mark.join(".")}`);
}

/** The appliers' reason for a user whose merge or undo has a partner that is not there yet begins so. */
const waits = "Waits for user";
