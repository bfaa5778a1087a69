/** Records of the lanes of consent as bytes: what they say and whom they change, and what an operator asks for in them. */
import { keysOf, type Taken, type Whose } from "../../../platform/lane/hold-back.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import type { RecordId } from "../../../platform/age.ts";
import { checkVersion, UnknownVersion } from "../../../platform/record-version.ts";
import { type ShownRecord, shownRecord } from "../../../platform/lane/shown-record.ts";
import type { Cause, Redrive as RedriveMessage } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";

export type Redrive = Pick<RedriveMessage, "keys" | "skipped">;

/** A record of the lane, with its place there. */
export interface LaneBody {
  readonly body: Uint8Array;
  /** Of the message in the lane log, and of the record in the message. */
  readonly place: readonly [sequence: number, at: number];
}

/** Whom a record changes. */
export interface Concern {
  readonly workspaceId: string;
  /** Users or addresses, one at least. */
  readonly names: readonly string[];
  /** It is part of what one request says of very many. */
  readonly isOfMany: boolean;
  /** What stands behind it is judged by it: it goes before all others, also before those that were said earlier. */
  readonly goesFirst?: boolean;
}

/** What a record of a lane says: changes of users or addresses, what an operator asks for, or what is said of the workspace itself. */
export interface LaneSaid<Said, OfWorkspace = never> {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly said: readonly Taken<Said>[] | Redrive | OfWorkspace;
}

interface LaneMessage {
  readonly version: number;
  readonly workspaceId: string;
  readonly cause?: Cause | undefined;
  readonly change: { readonly case: string | undefined; readonly value?: unknown };
}

/** What makes the records of one service. */
export interface MessageKind<Message extends LaneMessage, Said, OfWorkspace extends { readonly mark: RecordId } = never> {
  /** As in "Expected a status record". */
  readonly title: string;
  /** Throws on bytes that are no message. */
  readonly parse: (body: Uint8Array) => Message;
  readonly toJson: (message: Message) => unknown;
  readonly redriveToBytes: (workspaceId: string, redrive: Redrive) => Uint8Array;
  /** What the message says, of one user or address each; its place is that of the row. */
  readonly takenFrom: (message: Message, row: LaneRecord) => Taken<Said>[];
  /** Whom a message changes that says the same of several; undefined of any other. As `takenFrom` has it, without a record of each. */
  readonly alike?: (message: Message) => Pick<Concern, "names" | "isOfMany"> | undefined;
  readonly ofWorkspace?: {
    /** Under this name an applier is asked for it, as for a user. */
    readonly name: string;
    /** Undefined: the message says nothing of it. An error: what it says cannot be read. */
    readonly from: (message: Message, row: LaneRecord) => OfWorkspace | Error | undefined;
  };
}

export interface LaneMessages<Said, OfWorkspace = never> {
  /** What a row that waits says; its place is that of the row. */
  takenFromRow(row: LaneRecord): Taken<Said>[];
  /** `place`: of the record in the lane, for what does not say its own. Throws UnknownVersion, and on what is said of the workspace and cannot be read: the lane stops before the record. */
  readLaneBody(body: Uint8Array, place: RecordId): LaneSaid<Said, OfWorkspace>;
  /** Whom a record changes; undefined where it does not say, and of what an operator asks for. */
  concernOf(body: Uint8Array): Concern | undefined;
  /** What a record says, for a human. */
  shown(body: Uint8Array): ShownRecord;
  /** What asks an applier to try once more what waits of these users or addresses, or of the whole workspace. */
  redriveBody(workspaceId: string, asked: { readonly keys?: readonly string[]; readonly skipped: readonly LaneRecord[] }): Uint8Array;
  /** Whose change the record is; undefined where that cannot be read. */
  whoseBody(body: Uint8Array): Whose | undefined;
}

export function laneMessages<Message extends LaneMessage, Said, OfWorkspace extends { readonly mark: RecordId } = never>(
  { title, toJson, redriveToBytes, takenFrom, alike, ofWorkspace, ...kind }: MessageKind<Message, Said, OfWorkspace>,
): LaneMessages<Said, OfWorkspace> {
  function parse(body: Uint8Array): Message | Error {
    return orError(() => {
      const message = kind.parse(body);
      checkVersion(message.version);
      return message;
    });
  }
  function read(body: Uint8Array, message: Message | Error, [sequence, part]: RecordId): LaneSaid<Said, OfWorkspace | Error> {
    const place = { workspaceId: "", sequence, part, key: "", body };
    if (message instanceof Error) return { workspaceId: "", said: [unreadable(place, [], message)] };
    const { workspaceId, cause, change } = message;
    if (workspaceId !== "" && change.case === "redrive") return { workspaceId, said: change.value as Redrive };
    if (workspaceId === "" || cause === undefined) {
      const reason = new Error(`Expected a ${title} with a workspace and a cause, got none`);
      return { workspaceId: "", said: [unreadable(place, [], reason)] };
    }
    const row = { workspaceId, sequence: Number(cause.sequence), part: cause.part, key: "", body };
    return { workspaceId, said: ofWorkspace?.from(message, row) ?? takenFrom(message, row) };
  }
  return {
    readLaneBody(body, place) {
      const message = parse(body);
      if (message instanceof UnknownVersion) throw message;
      const { workspaceId, said } = read(body, message, place);
      // What stands behind it is judged by it
      if (said instanceof Error) throw said;
      return { workspaceId, said };
    },
    takenFromRow(row) {
      const message = parse(row.body);
      return message instanceof Error ? [unreadable(row, keysOf(row.key), message)] : takenFrom(message, row);
    },
    concernOf(body) {
      const message = parse(body);
      const same = message instanceof Error || message.workspaceId === "" || message.cause === undefined ? undefined : alike?.(message);
      if (same !== undefined) return { workspaceId: (message as Message).workspaceId, ...same };
      const { workspaceId, said } = read(body, message, [0, 0]);
      // The records behind it are judged by it, and none before it
      if ("mark" in said && ofWorkspace) return { workspaceId, names: [ofWorkspace.name], isOfMany: false, goesFirst: true };
      if (workspaceId === "" || !isTaken(said)) return undefined;
      const names = said.flatMap(({ keys }) => keys);
      return names.length === 0 ? undefined : { workspaceId, names, isOfMany: false };
    },
    shown: (body) => shownRecord(body, (bytes) => toJson(kind.parse(bytes))),
    redriveBody: (workspaceId, { keys = [], skipped }) =>
      redriveToBytes(workspaceId, { keys: [...keys], skipped: skipped.map(skippedToMessage) }),
    whoseBody(body) {
      const { workspaceId, said } = read(body, parse(body), [0, 0]);
      const [key] = isTaken(said) ? said[0]?.keys ?? [] : [];
      return workspaceId === "" || key === undefined ? undefined : { workspaceId, key };
    },
  };
}

export function isTaken<Said>(said: LaneSaid<Said, unknown>["said"]): said is readonly Taken<Said>[] {
  return Array.isArray(said);
}

/** A record that cannot be read; it is stored as it came. */
function unreadable<Said>(row: LaneRecord, keys: readonly string[], reason: Error): Taken<Said> {
  return takenOf<Said>([row.sequence, row.part], reason, { keys, kept: () => row });
}

/** `said`: what the record says, or why it cannot be read. */
export function takenOf<Said>(mark: RecordId, said: Said | Error, own: Pick<Taken<Said>, "keys" | "kept">): Taken<Said> {
  return said instanceof Error ? { ...own, mark, said: undefined, reason: said.message } : { ...own, mark, said, reason: "" };
}

/** What reading gives, or what it throws. */
export function orError<Read>(read: () => Read): Read | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What a message says of where a change comes from. */
export function causeFromMessage(cause: Cause | undefined) {
  return {
    at: Number(cause?.at ?? 0n),
    requestId: cause?.requestId ?? "",
    actor: cause?.actor ?? "",
    ...(cause?.traceparent && { traceparent: cause.traceparent }),
  };
}

function skippedToMessage({ sequence, part, key }: LaneRecord): Redrive["skipped"][number] {
  return { sequence: BigInt(sequence), part, key } as Redrive["skipped"][number];
}
