/** The id of a record that waits for a human, as GET /console/log shows it: of a blocked user, of the intake, or of a lane of consent. */
import { type Fields, isFields } from "../../platform/fields.ts";
import { bodyFields, invalid, isSent } from "./fields.ts";

export type WaitingRecordId =
  | { readonly of: "intake"; readonly partition: number; readonly sequence: bigint }
  | { readonly of: "user"; readonly at: UserRecordId }
  | { readonly of: ConsentPart; readonly at: LaneRecordId };

interface LaneRecordId {
  readonly workspaceId: string;
  readonly sequence: bigint;
  readonly part: number;
}

interface UserRecordId extends LaneRecordId {
  readonly userId: string;
}

type ConsentPart = (typeof consentLanes)[number][1];

export type ConsentLane = (typeof consentLanes)[number][0];

/** The names of both in `heddle log skip --lane`. */
export const consentLanes = [["subscription", "subscription"], ["messaging-status", "messagingStatus"]] as const;

/** All that a body names under `records`. Throws INPUT_INVALID, with the field. */
export function waitingRecordIds(body: Uint8Array, recordsMax: number): WaitingRecordId[] {
  const { records } = bodyFields(body);
  const isList = Array.isArray(records) && records.length <= recordsMax && records.every(isFields);
  if (!isList) throw invalid(`'records' must be a list of at most ${recordsMax} objects as GET /console/log shows them`);
  return records.map(waitingRecordId);
}

function waitingRecordId(record: Fields): WaitingRecordId {
  const { lane, partition } = record;
  if (isSent(partition)) {
    if (!isWhole(partition)) throw invalid("'partition' must be a whole number from 0");
    return { of: "intake", partition, sequence: recordIdOf(record, /^(\d{1,15})$/, "17").sequence };
  }
  const at = { workspaceId: nameOf(record, "workspace_id"), ...recordIdOf(record, /^(\d{1,15})[.](\d{1,9})$/, "17.0") };
  if (!isSent(lane)) return { of: "user", at: { ...at, userId: nameOf(record, "platform_id") } };
  const [, part] = consentLanes.find(([name]) => name === lane) ?? [];
  if (part === undefined) throw invalid(`'lane' must be ${consentLanes.map(([name]) => `'${name}'`).join(" or ")}`);
  return { of: part, at };
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < partitionsMax;
}

const partitionsMax = 100_000;

/** A record of consent that says neither workspace nor user has none. */
function nameOf(fields: Fields, name: "workspace_id" | "platform_id"): string {
  const text = fields[name];
  const isName = typeof text === "string" && text.length <= nameCharsMax &&
    (text !== "" || (isSent(fields["lane"]) && name === "workspace_id"));
  if (isName) return text;
  throw invalid(`'${name}' must be an id as GET /console/log shows it; a dead letter without a lane is named by 'partition'`);
}

const nameCharsMax = 255;

function recordIdOf({ at }: Fields, form: RegExp, example: string): { readonly sequence: bigint; readonly part: number } {
  const [, sequence = "", part = "0"] = (typeof at === "string" && form.exec(at)) || [];
  if (sequence === "") throw invalid(`'at' must be a place such as '${example}'`);
  return { sequence: BigInt(sequence), part: Number(part) };
}
