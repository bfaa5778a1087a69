/** Records of the lanes of consent as bytes: what they say and whom they change, and what an operator asks for in them. */
import { type DecodedRecord, keysOf, type Whose } from "../../../platform/lane/hold-back.ts";
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
export interface LaneContent<Payload, OfWorkspace = never> {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly content: readonly DecodedRecord<Payload>[] | Redrive | OfWorkspace;
}

interface LaneMessage {
  readonly version: number;
  readonly workspaceId: string;
  readonly cause?: Cause | undefined;
  readonly change: { readonly case: string | undefined; readonly value?: unknown };
}

/** What makes the records of one service. */
export interface MessageKind<Message extends LaneMessage, Payload, OfWorkspace extends { readonly mark: RecordId } = never> {
  /** As in "Expected a status record". */
  readonly title: string;
  /** Throws on bytes that are no message. */
  readonly parse: (body: Uint8Array) => Message;
  readonly toJson: (message: Message) => unknown;
  readonly redriveToBytes: (workspaceId: string, redrive: Redrive) => Uint8Array;
  /** What the message says, of one user or address each; its place is that of the row. */
  readonly decodedFrom: (message: Message, row: LaneRecord) => DecodedRecord<Payload>[];
  /** Whom a message changes that says the same of several; undefined of any other. As `takenFrom` has it, without a record of each. */
  readonly alike?: (message: Message) => Pick<Concern, "names" | "isOfMany"> | undefined;
  readonly ofWorkspace?: {
    /** Under this name an applier is asked for it, as for a user. */
    readonly name: string;
    /** Undefined: the message says nothing of it. An error: what it says cannot be read. */
    readonly from: (message: Message, row: LaneRecord) => OfWorkspace | Error | undefined;
  };
}

export interface LaneMessages<Payload, OfWorkspace = never> {
  /** What a row that waits says; its place is that of the row. */
  decodedFromRow(row: LaneRecord): DecodedRecord<Payload>[];
  /** `place`: of the record in the lane, for what does not say its own. Throws UnknownVersion, and on what is said of the workspace and cannot be read: the lane stops before the record. */
  readLaneBody(body: Uint8Array, place: RecordId): LaneContent<Payload, OfWorkspace>;
  /** Whom a record changes; undefined where it does not say, and of what an operator asks for. */
  concernOf(body: Uint8Array): Concern | undefined;
  /** What a record says, for a human. */
  shown(body: Uint8Array): ShownRecord;
  /** What asks an applier to try once more what waits of these users or addresses, or of the whole workspace. */
  redriveBody(workspaceId: string, asked: { readonly keys?: readonly string[]; readonly skipped: readonly LaneRecord[] }): Uint8Array;
  /** Whose change the record is; undefined where that cannot be read. */
  whoseBody(body: Uint8Array): Whose | undefined;
}

export function laneMessages<Message extends LaneMessage, Payload, OfWorkspace extends { readonly mark: RecordId } = never>(
  { title, toJson, redriveToBytes, decodedFrom, alike, ofWorkspace, ...kind }: MessageKind<Message, Payload, OfWorkspace>,
): LaneMessages<Payload, OfWorkspace> {
  function parse(body: Uint8Array): Message | Error {
    return orError(() => {
      const message = kind.parse(body);
      checkVersion(message.version);
      return message;
    });
  }
  function read(body: Uint8Array, message: Message | Error, [sequence, part]: RecordId): LaneContent<Payload, OfWorkspace | Error> {
    const place = { workspaceId: "", sequence, part, key: "", body };
    if (message instanceof Error) return { workspaceId: "", content: [unreadable(place, [], message)] };
    const { workspaceId, cause, change } = message;
    if (workspaceId !== "" && change.case === "redrive") return { workspaceId, content: change.value as Redrive };
    if (workspaceId === "" || cause === undefined) {
      const reason = new Error(`Expected a ${title} with a workspace and a cause, got none`);
      return { workspaceId: "", content: [unreadable(place, [], reason)] };
    }
    const row = { workspaceId, sequence: Number(cause.sequence), part: cause.part, key: "", body };
    return { workspaceId, content: ofWorkspace?.from(message, row) ?? decodedFrom(message, row) };
  }
  return {
    readLaneBody(body, place) {
      const message = parse(body);
      if (message instanceof UnknownVersion) throw message;
      const { workspaceId, content } = read(body, message, place);
      // What stands behind it is judged by it
      if (content instanceof Error) throw content;
      return { workspaceId, content };
    },
    decodedFromRow(row) {
      const message = parse(row.body);
      return message instanceof Error ? [unreadable(row, keysOf(row.key), message)] : decodedFrom(message, row);
    },
    concernOf(body) {
      const message = parse(body);
      const same = message instanceof Error || message.workspaceId === "" || message.cause === undefined ? undefined : alike?.(message);
      if (same !== undefined) return { workspaceId: (message as Message).workspaceId, ...same };
      const { workspaceId, content } = read(body, message, [0, 0]);
      // The records behind it are judged by it, and none before it
      if ("mark" in content && ofWorkspace) return { workspaceId, names: [ofWorkspace.name], isOfMany: false, goesFirst: true };
      if (workspaceId === "" || !areRecords(content)) return undefined;
      const names = content.flatMap(({ keys }) => keys);
      return names.length === 0 ? undefined : { workspaceId, names, isOfMany: false };
    },
    shown: (body) => shownRecord(body, (bytes) => toJson(kind.parse(bytes))),
    redriveBody: (workspaceId, { keys = [], skipped }) =>
      redriveToBytes(workspaceId, { keys: [...keys], skipped: skipped.map(skippedToMessage) }),
    whoseBody(body) {
      const { workspaceId, content } = read(body, parse(body), [0, 0]);
      const [key] = areRecords(content) ? content[0]?.keys ?? [] : [];
      return workspaceId === "" || key === undefined ? undefined : { workspaceId, key };
    },
  };
}

export function areRecords<Payload>(content: LaneContent<Payload, unknown>["content"]): content is readonly DecodedRecord<Payload>[] {
  return Array.isArray(content);
}

/** A record that cannot be read; it is stored as it came. */
function unreadable<Payload>(row: LaneRecord, keys: readonly string[], reason: Error): DecodedRecord<Payload> {
  return decodedOf<Payload>([row.sequence, row.part], reason, { keys, toRow: () => row });
}

/** `payload`: what the record says, or why it cannot be read. */
export function decodedOf<Payload>(
  mark: RecordId,
  payload: Payload | Error,
  own: Pick<DecodedRecord<Payload>, "keys" | "toRow">,
): DecodedRecord<Payload> {
  return payload instanceof Error ? { ...own, mark, payload: undefined, reason: payload.message } : { ...own, mark, payload, reason: "" };
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
