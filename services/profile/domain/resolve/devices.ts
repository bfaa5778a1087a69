/** Devices: which user each means, by the push tokens and sessions that name it. */
import { limits } from "../../../../platform/limits.ts";
import { isObject, utf8Bytes } from "../values/check-json.ts";
import type { KnownDevice, Recency, UserRow } from "../identity/identity.ts";
import { type Effects, putUser } from "./effects.ts";
import type { TrackObject } from "../record/track-object.ts";
import type { UserId } from "../record/user-key.ts";
import { deviceKey } from "../identity/user-names.ts";

/** The devices that an object or a session names, and the place of that in the order. */
export interface Heard {
  readonly devices: readonly string[];
  readonly at: Recency;
}

export function heardNow({ record, nextPart }: Effects, devices: readonly string[]): Heard {
  return { devices, at: [record.sequence, nextPart] };
}

/** Devices that push tokens name; none costs no list. */
export function devicesIn(object: TrackObject): readonly string[] {
  if (object.kind !== "attribute" || object.fields === undefined) return none;
  const tokens = object.fields.find(([field]) => field === "push_tokens")?.[1];
  if (!Array.isArray(tokens)) return none;
  const ids = tokens.flatMap((token) => (isObject(token) && typeof token["device_id"] === "string" ? [token["device_id"]] : []));
  return [...new Set(ids.filter(isDeviceName))];
}

const none: readonly string[] = [];

/** Records of earlier builds may name devices by any text: one that is too long, or that a store cannot hold, names no user. */
export function isDeviceName(id: string): boolean {
  return id !== "" && id.isWellFormed() && !id.includes("\u0000") && utf8Bytes(id) <= limits.deviceIdBytesMax;
}

/** The devices mean the user from now on; the oldest beyond the limit mean no user. */
export function takeDevices(effects: Effects, userId: UserId, { devices, at }: Heard): void {
  if (devices.length === 0) return;
  const { view } = effects;
  view.need(devices.map(deviceKey));
  const taken = devices.filter((id) => view.deviceUserOf(deviceKey(id)) !== userId);
  const row = view.user(userId);
  if (taken.length === 0 || row === undefined) return;
  for (const id of taken) view.put(deviceKey(id), userId);
  const after = withDevices(row, { devices: taken, at });
  const forgotten = (row.devices ?? []).filter(({ id }) => !after.devices?.some((device) => device.id === id));
  free(effects, heldOf(effects, userId, forgotten));
  putUser(effects, after);
}

/** The row with these devices as its latest. */
export function withDevices(row: UserRow, { devices, at }: Heard): UserRow {
  if (devices.length === 0) return row;
  const others = (row.devices ?? []).filter(({ id }) => !devices.includes(id));
  return { ...row, devices: [...others, ...devices.map((id) => ({ id, at }))].slice(-limits.devicesPerUserMax) };
}

/** What the target of a merge has from now on: the source's devices mean it. */
export function takeInDevices(effects: Effects, { source, target }: Sides): Pick<UserRow, "devices"> {
  const moved = heldOf(effects, source.id, source.devices);
  if (moved.length === 0) return {};
  for (const { id } of moved) effects.view.put(deviceKey(id), target.id);
  const others = (target.devices ?? []).filter(({ id }) => !moved.some((device) => device.id === id));
  const all = [...others, ...moved].toSorted(byRecency);
  const over = Math.max(0, all.length - limits.devicesPerUserMax);
  free(effects, heldOf(effects, target.id, all.slice(0, over)));
  return { devices: all.slice(over) };
}

/** A merge is taken back: what the live user has goes to the side that was heard of on it last. */
export function giveDevicesBack(effects: Effects, live: UserRow, { source, target }: Sides): void {
  for (const { id } of heldOf(effects, live.id, live.devices)) {
    const [ofSource, ofTarget] = [source, target].map((side) => side.devices?.find((device) => device.id === id));
    const isSources = ofSource !== undefined && (ofTarget === undefined || byRecency(ofSource, ofTarget) > 0);
    effects.view.put(deviceKey(id), isSources ? source.id : ofTarget && target.id);
  }
}

export function freeDevices(effects: Effects, row: UserRow): void {
  free(effects, heldOf(effects, row.id, row.devices));
}

function free({ view }: Effects, devices: readonly KnownDevice[]): void {
  for (const { id } of devices) view.put(deviceKey(id), undefined);
}

/** Those of the devices that mean the user still. */
function heldOf({ view }: Effects, userId: UserId, devices: readonly KnownDevice[] = []): readonly KnownDevice[] {
  if (devices.length === 0) return devices;
  view.need(devices.map(({ id }) => deviceKey(id)));
  return devices.filter(({ id }) => view.deviceUserOf(deviceKey(id)) === userId);
}

function byRecency({ at: [sequence, part] }: KnownDevice, { at: [otherSequence, otherPart] }: KnownDevice): number {
  return sequence - otherSequence || part - otherPart;
}

export interface Sides {
  readonly source: UserRow;
  readonly target: UserRow;
}
