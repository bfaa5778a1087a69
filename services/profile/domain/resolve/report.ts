/** What is for users that exist alone: sessions and message interactions that other services report, and the word of an operator. */
import { findUser } from "../identity/choose-user.ts";
import type { BodyOf } from "../record/intake-record.ts";
import type { ProfileChange } from "../profile/profile-record.ts";
import type { UserKey } from "../record/user-key.ts";
import { touchUser } from "./addresses.ts";
import { heardNow, isDeviceName, takeDevices, withDevices } from "./devices.ts";
import { type Effects, send } from "./effects.ts";
import { followTouch, sideOf, withoutOverMerges } from "./open-merges.ts";

/** An operator lets a rejected user back in. */
export function resolveAdmission(effects: Effects, key: UserKey): void {
  const found = findUser(effects.view, key);
  effects.items = [{ index: 0, ok: found !== undefined, reason: found === undefined ? "There is no such user" : "" }];
  if (found === undefined) return;
  const row = withoutOverMerges(effects, found);
  send(effects, { id: row.id, externalId: row.externalId, side: sideOf(effects.view, row, key) }, { type: "admit" });
}

export function resolveSession(effects: Effects, { user, appId, startedAt, device }: BodyOf<"reportSession">): void {
  const at = Math.min(startedAt, effects.at);
  report(effects, user, { type: "session", appId, startedAt: at, ...(device && { device }) });
}

export function resolveEngagement(effects: Effects, body: BodyOf<"reportEngagement">): void {
  const { user, channel, messageId, name, interaction } = body;
  const at = Math.min(body.at, effects.at);
  report(effects, user, { type: "engagement", channel, messageId, name, interaction, at });
}

function report(effects: Effects, key: UserKey, change: ProfileChange): void {
  const found = findUser(effects.view, key);
  if (found === undefined) return;
  const row = withoutOverMerges(effects, found);
  const heard = heardNow(effects, change.type === "session" ? devicesOf(change) : []);
  takeDevices(effects, row.id, heard);
  send(effects, { id: row.id, externalId: row.externalId, side: sideOf(effects.view, row, key) }, change);
  touchUser(effects, row);
  followTouch(effects, row, { key, apply: (shadow) => withDevices(shadow, heard) });
}

function devicesOf({ device }: Pick<BodyOf<"reportSession">, "device">): readonly string[] {
  return device !== undefined && isDeviceName(device.deviceId) ? [device.deviceId] : [];
}
