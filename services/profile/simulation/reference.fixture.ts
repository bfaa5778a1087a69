/** What should come out: the embedded pass over the same intake, and everything either store shows afterwards. */
import { create, fromBinary, type MessageInitShape, toJsonString } from "@bufbuild/protobuf";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { StatusRecordSchema, type SubscriptionRecord, SubscriptionRecordSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { Identities } from "../domain/identities.ts";
import type { IdentityKey } from "../domain/identity.ts";
import type { IntakeRecord } from "../domain/intake-record.ts";
import type { IdentityStore, ProfileStore } from "../domain/ports.ts";
import { type Resolution, resolveBatch } from "../domain/resolve-batch.ts";
import type { ResolveOptions } from "../domain/resolve-effects.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { createViews, planStep } from "../pass/plan-step.ts";
import { createUserCache } from "../pass/user-cache.ts";
import type { PureSteps } from "../pass/workspace-work.ts";
import { profileToRow } from "../store/rows.ts";
import { openSqliteProfileStore } from "../store/sqlite.ts";

/** Each record has the time at which it was received as its now, so that nothing depends on when it is resolved. */
export function resolveAtReceipt(view: Identities, records: readonly IntakeRecord[], options: ResolveOptions): Resolution {
  const [first] = records;
  if (first === undefined) return { resolved: [] };
  return resolveBatch(view, [first], { ...options, now: first.receivedAt });
}

export function decodeEntry(sequence: number, body: Uint8Array): IntakeRecord {
  return { ...JSON.parse(Buffer.from(body).toString()), sequence } as IntakeRecord;
}

export interface Seen {
  readonly profiles: readonly string[];
  readonly identities: readonly string[];
}

/** What was sent of a service: one user or address of one record each. */
export function consentOf(service: "subscription" | "messaging-status", bodies: readonly Uint8Array[]): string[] {
  if (service === "messaging-status") return bodies.map((body) => toJsonString(StatusRecordSchema, fromBinary(StatusRecordSchema, body)));
  return bodies.map((body) => fromBinary(SubscriptionRecordSchema, body)).flatMap(eachUser).map((one) => {
    return toJsonString(SubscriptionRecordSchema, create(SubscriptionRecordSchema, one));
  });
}

function eachUser(record: SubscriptionRecord): MessageInitShape<typeof SubscriptionRecordSchema>[] {
  const { workspaceId, cause, change } = record;
  if (change.case !== "setMemberships") return [record];
  const { userIds, subscriptionGroupId, state } = change.value;
  return userIds.map((userId, at) => ({
    workspaceId,
    userId,
    ...(cause && { cause: { ...cause, part: cause.part + at } }),
    change: { case: "setMembership", value: { subscriptionGroupId, state } },
  }));
}

export interface EmbeddedOptions {
  readonly steps: PureSteps;
  readonly undoWindowMs: number;
  /** Absent: entries as `decodeEntry` reads them, each resolved at the time it was received. */
  readonly decode?: (sequence: number, body: Uint8Array) => IntakeRecord;
  readonly now?: number;
}

/** The rows that the embedded pass leaves, and the keys of its identity rows. */
export async function runEmbedded(
  records: readonly LogRecord[],
  { steps, undoWindowMs, decode, now }: EmbeddedOptions,
): Promise<
  Seen & { readonly openMerges: readonly string[]; readonly keys: readonly (readonly [string, IdentityKey])[]; readonly consent: Consent }
> {
  const database = openDatabase({ path: ":memory:", clock: fakeClock() });
  const tables = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1 });
  const { identities, profiles } = tables;
  const how = decode === undefined ? { decode: decodeEntry, resolve: resolveAtReceipt } : { decode, resolve: resolveBatch };
  const parts = { partition: 0, ...how, steps, identities, profiles, cache, views: createViews() };
  const { step } = await planStep(parts, records, { now: now ?? 0, undoWindowMs });
  await tables.steps.commit(step);
  const keys = database.prepare(identityKeys).all()
    .map((row) => [String(row["workspace_id"]), String(row["key"]) as IdentityKey] as const);
  const openMerges = database.prepare("SELECT merge_id FROM profile_frozen ORDER BY 1").all().map((row) => String(row["merge_id"]));
  const seen = await look(tables, keys);
  const consent = new Map(services.map((service) => {
    const rows = database.prepare(laneBodies).all(service).map((row) => row["body"] as Uint8Array);
    return [service, consentOf(service, rows)] as const;
  }));
  await database.close();
  return { ...seen, openMerges, keys, consent };
}

const services = ["subscription", "messaging-status"] as const;
/** By service. */
export type Consent = ReadonlyMap<(typeof services)[number], readonly string[]>;
const laneBodies = "SELECT body FROM lane_records WHERE service = ? ORDER BY sequence, part";

const identityKeys = `
  SELECT workspace_id, key FROM profile_identities JOIN profile_workspaces ON number = workspace
  UNION ALL
  SELECT workspace_id, 'u:' || user_id FROM profile_profiles JOIN profile_workspaces ON number = workspace WHERE identity IS NOT NULL
  ORDER BY 1, 2`;

export async function look(
  { profiles, identities }: { profiles: ProfileStore; identities: IdentityStore },
  keys: readonly (readonly [string, IdentityKey])[],
): Promise<Seen> {
  const rows: string[] = [];
  for (const workspaceId of ["v", "w"]) rows.push(...(await profiles.page(workspaceId, "", 1_000)).map(profileToRow));
  const names: string[] = [];
  for (const [workspaceId, key] of keys) {
    const found = await identities.load(workspaceId, [key]);
    names.push(`${workspaceId} ${JSON.stringify([...found])}`);
  }
  return { profiles: rows, identities: names };
}
