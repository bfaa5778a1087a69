/** A message of a profile lane in bytes: items of several users, packed as JSON, each user's in order. */
import { Buffer } from "node:buffer";
import { packJson } from "../../../platform/log/packed-records.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import type { Addressed, LaneItem } from "../domain/resolve/lane-item.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";

/** One item as it stands in a message: [workspace, item], and the traceparent where the request is recorded. Joined by `packLaneMessage`, so that its size is known before. */
export function packItem({ workspaceId, item, traceparent }: Addressed): Uint8Array {
  const plain = item.type === "record" ? item.record : item;
  return Buffer.from(JSON.stringify(traceparent === undefined ? [workspaceId, plain] : [workspaceId, plain, traceparent]));
}

export function packLaneMessage(items: readonly Uint8Array[]): Uint8Array {
  return packJson(`{"v":${version},"items":[`, items);
}

/** Throws on a message of another version, which only a newer Heddle can have written. */
export function readLaneMessage(body: Uint8Array): Addressed[] {
  const message = JSON.parse(Buffer.from(body).toString()) as { v: number; items: readonly [string, ProfileRecord | OtherItem, string?][] };
  if (message.v !== version) throw new UnknownVersion(`Expected a lane message of version ${version}, got "${Number(message.v)}"`);
  return message.items.map(([workspaceId, item, traceparent]) => ({
    workspaceId,
    ...(traceparent !== undefined && { traceparent }),
    item: "change" in item ? { type: "record", record: item } : item,
  }));
}

const version = 1;

type OtherItem = Exclude<LaneItem, { type: "record" }>;
