/** A workspace for tests of the resolver: a map as the store, a log that counts, and short ways to write requests. */
import type { Idempotency, IntakeBody, IntakeRecord } from "../record/intake-record.ts";
import { createIdentities, NeedRows } from "../identity/identities.ts";
import type { IdentityKey, UserRow } from "../identity/identity.ts";
import type { ConsentRecord } from "../ports.ts";
import { resolveBatch, type ResolvedRecord } from "./batch.ts";
import { keysOf } from "./keys.ts";
import { findUser } from "../identity/choose-user.ts";
import type { AttributeObject, EventObject, TrackObject } from "../record/track-object.ts";
import type { UserId, UserKey } from "../record/user-key.ts";

export const start = Date.UTC(2026, 0, 1);
export const undoWindowMs = 7 * 24 * 3_600_000;

export function attributes(user: UserKey, rest: Partial<AttributeObject> = {}): AttributeObject {
  return { kind: "attribute", user, updateOnly: user.by === "alias", ...rest };
}

export function event(user: UserKey, rest: Partial<EventObject> = {}): EventObject {
  return { kind: "event", user, updateOnly: user.by === "alias", name: "e", time: start, ...rest };
}

export function byId(id: string): UserKey {
  return { by: "externalId", id };
}

export function byAlias(label: string, name: string): UserKey {
  return { by: "alias", label, name };
}

export function byEmail(address: string): UserKey {
  return { by: "email", address };
}

export function byPhone(number: string): UserKey {
  return { by: "phone", number };
}

export type Request = IntakeBody | TrackObject | readonly TrackObject[];

export function bodyOf(request: Request): IntakeBody {
  if ("kind" in request) return { type: "track", objects: [request] };
  return "type" in request ? request : { type: "track", objects: request };
}

export interface WorkspaceOptions {
  readonly workspaceId?: string;
  readonly undoWindowMs?: number;
  /** Resolves this many records in one call. */
  readonly batch?: () => number;
  /** Forgets the clean cache after this batch. */
  readonly evicts?: () => boolean;
  /** The rows of this batch are in the store when the next one is resolved, and not before. */
  readonly behind?: () => boolean;
  /** Loads only what the resolver asks for, nothing ahead. */
  readonly lazy?: boolean;
  /** Numbers what goes to profiles together with consent, as a build before did. */
  readonly partsInCommon?: boolean;
}

/** Consent with a record for each user, whether the resolver gathered them or not. */
export function eachUser(consent: readonly ConsentRecord[] = []): ConsentRecord[] {
  return consent.flatMap((record): ConsentRecord[] => {
    if (record.type !== "memberships") return [record];
    const { userIds, part, ...rest } = record;
    return userIds.map((userId, at) => ({ ...rest, type: "membership", userId, part: part + at }));
  });
}

/** Resolves requests as the driver does, against a store that is a map. */
export function createWorkspace(options: WorkspaceOptions = {}) {
  const store = new Map<IdentityKey, unknown>();
  const view = createIdentities(options.workspaceId ?? "ws");
  let sequence = 0;
  let now = start;

  function recordOf(request: Request, idempotency?: Idempotency): IntakeRecord {
    sequence += 1;
    const record = { sequence, workspaceId: view.workspaceId, requestId: `q${sequence}`, actor: "key", receivedAt: now };
    return { ...record, body: bodyOf(request), ...(idempotency && { idempotency }) };
  }

  function load(keys: readonly IdentityKey[]): void {
    view.load(keys, new Map(keys.map((key) => [key, structuredClone(store.get(key))])));
  }

  const sent: [IdentityKey, unknown][] = [];
  function arrive(): void {
    for (const [key, row] of sent.splice(0)) {
      if (row === undefined) store.delete(key);
      else store.set(key, structuredClone(row));
    }
    view.arrived();
  }

  function commit(): void {
    arrive();
    for (const change of view.changes()) sent.push(change);
    view.send();
    if (!options.behind?.()) arrive();
    if (options.evicts?.()) view.evict(0);
  }

  function resolveAll(records: readonly IntakeRecord[]): ResolvedRecord[] {
    const resolved: ResolvedRecord[] = [];
    for (let calls = 0; resolved.length < records.length; calls += 1) {
      if (calls > 10_000) throw new Error("Expected the resolver to get on");
      const rest = records.slice(resolved.length);
      const { partsInCommon = false } = options;
      const step = resolveBatch(view, rest, { now, undoWindowMs: options.undoWindowMs ?? undoWindowMs, partsInCommon });
      resolved.push(...step.resolved);
      if (step.need) load(options.lazy ? step.need.slice(0, 1) : step.need);
    }
    return resolved;
  }

  function runRecords(records: readonly IntakeRecord[]): ResolvedRecord[] {
    const resolved: ResolvedRecord[] = [];
    while (resolved.length < records.length) {
      const batch = records.slice(resolved.length, resolved.length + (options.batch?.() ?? 1));
      if (!options.lazy) load(batch.flatMap(keysOf).filter((key) => view.peek(key) === undefined));
      resolved.push(...resolveAll(batch));
      commit();
    }
    arrive();
    return resolved;
  }

  return {
    store,
    view,
    run: (...requests: readonly Request[]) => runRecords(requests.map((request) => recordOf(request))),
    runKeyed: (request: Request, idempotency: Idempotency) => runRecords([recordOf(request, idempotency)])[0],
    advance: (ms: number) => void (now += ms),
    /** The user whom data under this name goes to. */
    idOf: (key: UserKey): UserId | undefined => userIn(store, key)?.id,
  };
}

/** Whom a name means by the rows of a store. */
function userIn(store: ReadonlyMap<IdentityKey, unknown>, key: UserKey): UserRow | undefined {
  const view = createIdentities("");
  for (;;) {
    try {
      return findUser(view, key);
    } catch (error) {
      if (!(error instanceof NeedRows)) throw error;
      view.load(error.keys, store);
    }
  }
}

/** The rows that say who has which name. */
export function namesOf(store: ReadonlyMap<IdentityKey, unknown>): Map<IdentityKey, unknown> {
  return new Map([...store].filter(([key]) => /^[xauepd]:/.test(key)).toSorted(([a], [b]) => a < b ? -1 : 1));
}
