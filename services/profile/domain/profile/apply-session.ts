/** What a session of an app does to a profile: the app's summary, the session dates, the device. */
import type { Device } from "../record/intake-record.ts";
import { ownEntries } from "../../../../platform/own-entries.ts";
import type { AppSummary, DeviceSummary, Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";
import { noteField } from "./sources.ts";
import type { FieldValue, StandardField } from "../record/track-object.ts";

export function applySession(profile: Profile, change: SessionChange, sequence: number): void {
  const { appId, startedAt, device } = change;
  const session = { sessions: 1, firstSession: startedAt, lastSession: startedAt };
  const app = profile.apps.get(appId);
  ownEntries(profile, "apps").set(appId, app === undefined ? session : mergedApp(app, session));
  const date = new Date(startedAt).toISOString();
  const [first, last] = [profile.fields.get("date_of_first_session"), profile.fields.get("date_of_last_session")];
  const fields = ownEntries(profile, "fields");
  keepEarliest(fields, "date_of_first_session", date);
  keepLatest(fields, "date_of_last_session", date);
  noteField(profile, "date_of_first_session", { before: first, source: sequence });
  noteField(profile, "date_of_last_session", { before: last, source: sequence });
  if (device !== undefined) seeDevice(ownEntries(profile, "devices"), device, startedAt);
}

/** Rules 5 and 6 of /users/merge. */
export function mergedApp(left: AppSummary, right: AppSummary): AppSummary {
  return {
    sessions: left.sessions + right.sessions,
    firstSession: Math.min(left.firstSession, right.firstSession),
    lastSession: Math.max(left.lastSession, right.lastSession),
  };
}

export function keepEarliest(fields: Map<StandardField, FieldValue>, field: StandardField, date: FieldValue): void {
  const old = fields.get(field);
  if (old === undefined || instant(date) < instant(old)) fields.set(field, date);
}

export function keepLatest(fields: Map<StandardField, FieldValue>, field: StandardField, date: FieldValue): void {
  const old = fields.get(field);
  if (old === undefined || instant(date) > instant(old)) fields.set(field, date);
}

/** Sessions may be reported late: the newest one describes the device. */
function seeDevice(devices: Map<string, DeviceSummary>, device: Device, at: number): void {
  const old = devices.get(device.deviceId);
  if (old === undefined || old.lastSeen <= at) devices.set(device.deviceId, { model: device.model, os: device.os, lastSeen: at });
}

function instant(date: FieldValue): number {
  return Date.parse(String(date));
}

type SessionChange = Extract<ProfileChange, { type: "session" }>;
