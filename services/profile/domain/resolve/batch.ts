/** The resolver: intake records in order, decided one after the other against the identity rows. */
import { limits } from "../../../../platform/limits.ts";
import { isSameRequest } from "../../../../platform/same-request.ts";
import type { Idempotency, IntakeBody, IntakeRecord } from "../record/intake-record.ts";
import { type Identities, NeedRows } from "../identity/identities.ts";
import type { IdentityKey, ItemOutcome, RepeatRow } from "../identity/identity.ts";
import type { ConsentRecord } from "../ports.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import { resolveAliasRenames, resolveNewAliases } from "./aliases.ts";
import { resolveConsent } from "./consent.ts";
import { resolveDeletes } from "./delete.ts";
import { type Effects, type ForgottenMerge, type ResolveOptions, startEffects } from "./effects.ts";
import { resolveExternalIdRemovals, resolveExternalIdRenames } from "./external-ids.ts";
import { resolveIdentify } from "./identify.ts";
import { wantedKeys } from "./keys.ts";
import { resolveMerges } from "./merge.ts";
import { resolveAdmission, resolveEngagement, resolveSession } from "./report.ts";
import { resolveTrack } from "./track.ts";
import { resolveUndo } from "./undo.ts";

/**
 * Resolves records of one workspace in order, up to the first that needs identity rows which `view` does not know:
 * then `need` names them, and those that the records after it need as far as can be seen. The caller loads them and
 * calls again with the records from `resolved.length` on. Without `need` it stops behind a fan-out, so that the caller
 * can give others their turn, and before a record that throws. A record has all of its effects or none; a fault is thrown
 * only for the first record, so what was resolved before it is never lost. The result does not depend on how records
 * were cut into calls, nor on what was cached.
 */
export function resolveBatch(view: Identities, records: readonly IntakeRecord[], options: ResolveOptions): Resolution {
  const resolved: ResolvedRecord[] = [];
  let users = 0;
  for (const record of records) {
    if (users >= limits.fanOutUsersPerTurn) return { resolved };
    try {
      const done = resolveRecord(view, record, options);
      resolved.push(done);
      users += usersOfRuns(done);
      view.keep();
    } catch (error) {
      view.discard();
      if (error instanceof NeedRows) {
        return { resolved, need: wantedKeys(view, records.slice(resolved.length), error.keys) };
      }
      if (resolved.length === 0) throw error;
      return { resolved };
    }
  }
  return { resolved };
}

function usersOfRuns({ consent }: ResolvedRecord): number {
  return consent.reduce((sum, record) => sum + (record.type === "memberships" ? record.userIds.length : 0), 0);
}

export interface Resolution {
  /** The records resolved, from the first on; fewer than given with `need`, behind a fan-out, or where the next one throws. */
  readonly resolved: ResolvedRecord[];
  readonly need?: IdentityKey[];
}

export interface ResolvedRecord {
  readonly sequence: number;
  readonly profiles: readonly ProfileRecord[];
  readonly consent: readonly ConsentRecord[];
  /** How many objects of /users/track reached a user; absent: none. */
  readonly objects?: number;
  /** For a record with an idempotency key. */
  readonly outcome?: RepeatOutcome;
  /** For renames, removals, deletes and undo: what became of each element. A repeat has those of the first. */
  readonly items?: readonly ItemOutcome[];
  /** Merges whose frozen copies and journals are to be erased. */
  readonly forgotten: readonly ForgottenMerge[];
  /** See ResolveOptions. */
  readonly partsInCommon?: true;
}

interface RepeatOutcome {
  /** `repeat`: nothing was done, this is the first answer; `reused`: nothing was done, the body is another one. */
  readonly kind: "first" | "repeat" | "reused";
  /** The answer of the first request. */
  readonly answer: string;
}

function resolveRecord(view: Identities, record: IntakeRecord, options: ResolveOptions): ResolvedRecord {
  const { sequence, idempotency } = record;
  const effects = startEffects(view, record, options);
  if (idempotency === undefined) {
    resolveBody(effects, record.body);
    return finished(effects);
  }
  const earlier = view.repeat(idempotency.keyHash);
  if (earlier !== undefined && options.now < earlier.expiresAt) return repeated(sequence, { earlier, again: idempotency });
  resolveBody(effects, record.body);
  const { keyHash, keepMs, ...kept } = idempotency;
  const row: RepeatRow = {
    ...kept,
    sequence,
    expiresAt: options.now + keepMs,
    ...(effects.items && { items: effects.items }),
  };
  view.put(`r:${keyHash}`, row);
  return { ...finished(effects), outcome: { kind: "first", answer: kept.answer } };
}

function repeated(sequence: number, { earlier, again }: { earlier: RepeatRow; again: Idempotency }): ResolvedRecord {
  const { answer, items } = earlier;
  const kind = isSameRequest(earlier, again) ? "repeat" : "reused";
  return {
    sequence,
    profiles: [],
    consent: [],
    outcome: { kind, answer },
    ...(items && { items }),
    forgotten: [],
  };
}

function finished(effects: Effects): ResolvedRecord {
  const { profiles, consent, forgotten, items, objects } = effects;
  const { sequence } = effects.record;
  return {
    sequence,
    profiles,
    consent,
    ...(objects > 0 && { objects }),
    forgotten,
    ...(effects.nextProfilePart === undefined && { partsInCommon: true }),
    ...(items && { items }),
  };
}

function resolveBody(effects: Effects, body: IntakeBody): void {
  switch (body.type) {
    case "track":
      return resolveTrack(effects, body.objects);
    case "createAliases":
      return resolveNewAliases(effects, body.aliases);
    case "renameAliases":
      return resolveAliasRenames(effects, body.renames);
    case "mergeUsers":
      return resolveMerges(effects, body.jobId, body.updates);
    case "identifyUsers":
      return resolveIdentify(effects, body.jobId, body.identifications);
    case "deleteUsers":
      return resolveDeletes(effects, body.users);
    case "renameExternalIds":
      return resolveExternalIdRenames(effects, body.renames);
    case "removeExternalIds":
      return resolveExternalIdRemovals(effects, body.externalIds);
    case "undoMerge":
      return resolveUndo(effects, body);
    case "reportSession":
      return resolveSession(effects, body);
    case "reportEngagement":
      return resolveEngagement(effects, body);
    case "admitUser":
      return resolveAdmission(effects, body.user);
    default:
      return resolveConsent(effects, body);
  }
}
