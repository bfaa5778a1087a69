/** Who may call, kept as documents: a set in memory that answers every request, and the partition of an installation it is read from. */
import type { Clock } from "../../../platform/clock.ts";
import { type Documents, head, type Write } from "../../../platform/documents/documents.ts";
import type { Layout } from "../../../platform/documents/layout.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { singleFlight } from "../../../platform/single-flight.ts";
import type { Access } from "../access.ts";
import type { AccessAdmin, AccessPlan } from "../admin/admin.ts";
import { type AccessIndex, findHolder, indexRows } from "../access-index.ts";
import type { AccessNotices } from "./notices.ts";
import { inTime, pollWhileUsed } from "./poll-while-used.ts";
import { dropId, type PutWrite, rowId, rowsOf, withWrites } from "../row-set.ts";
import type { AccessWrite } from "../rows.ts";
import { pausedUntil } from "../admin/pause-note.ts";
import { openActions } from "../admin/actions.ts";
import { openLastDeclaration } from "../admin/last-declaration.ts";
import { openKeyUses } from "../admin/key-uses.ts";
import { openRequestCounts } from "../admin/request-counts.ts";
import { findSession } from "../keys/sessions.ts";

export interface AccessOptions {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Installations that share a keyspace know nothing of each other. */
  readonly installation: string;
  /** Where given, gateways notify each other of changes at once; without it they only poll. */
  readonly notices?: AccessNotices;
}

/** In the gateways' keyspace. */
export const accessLayout: Layout = {
  table: "access_rows_by_installation",
  partition: "installation",
  id: "id",
  head: {
    columns: ["version", "written_at"],
    toRow(value) {
      const { version, writtenAt } = value as AccessHead;
      return { version, written_at: BigInt(Math.ceil(writtenAt)) };
    },
    fromRow: (row): AccessHead => ({ version: String(row["version"]), writtenAt: Number(row["written_at"] ?? 0) }),
  },
  json: "content",
};

interface AccessHead {
  /** Another one with each change. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly writtenAt: number;
}

/**
 * Reads all rows and holds them in memory. What another process writes is seen at once by notice, and within
 * `accessRefreshMs` and one read without. Where no request came for a while it is read before the next one. While the store is away the last known set serves.
 * Refuses with STORE_UNAVAILABLE where the store cannot be read at the start.
 */
export async function openAccess(options: AccessOptions): Promise<Access & AccessAdmin> {
  const { documents, clock, logger, installation, notices } = options;
  let current = await readSet(options);
  let reading: Promise<void> = Promise.resolve();
  let closed = false;

  async function readIfChanged(): Promise<void> {
    if (versionIn(await documents.get(installation, head)) !== current.version) current = await readSet(options);
  }
  /** One after the other: an earlier answer never replaces a later one. */
  async function refresh(): Promise<void> {
    reading = reading.then(readIfChanged, readIfChanged);
    await reading;
  }
  const refreshQuietly = refreshing(refresh, { logger, isClosed: () => closed });
  /** The last writer's clock may be ahead of ours: what a build of before revoked now must be over now. So must an overlap by its clock. */
  function now(): number {
    return clock.now() + current.aheadMs;
  }
  function writesPaused(): boolean {
    return current.pausedUntil > clock.monotonic();
  }
  const { closeCounts, ...counts } = openCounts(options, writesPaused);
  const lookForMissed = singleFlight<"set", void>(async () => {
    await new Promise<void>((resolve) => clock.after(limits.accessMissMs, resolve));
    await refreshQuietly();
  });
  const polling = pollWhileUsed(clock, refreshQuietly);
  const deafen = notices?.listen(() => void refreshQuietly());
  return {
    findApiKey: (secret) => findHolder(current.index.keys, secret, now()),
    findScimToken: (secret) => findHolder(current.index.tokens, secret, now()),
    findSession: (token) => findSession(current.index, token, now()),
    awaitSession: (token) => findSession(current.index, token, now()) === undefined ? lookForMissed("set") : Promise.resolve(),
    awaitKey: () => inTime(lookForMissed("set"), clock),
    workspace: (id) => current.index.workspaces.get(id),
    allowsOrigin: (origin) => current.index.origins.has(origin),
    writesPaused,
    awaitCurrent: () => polling.awaitCurrent(),
    refresh,
    close() {
      closed = true;
      polling.close();
      closeCounts();
      deafen?.();
    },
    rows: () => current.index.rows,
    actions: openActions(options),
    lastDeclaration: openLastDeclaration(options),
    ...counts,
    declared: (workspaceId, kind) => current.index.rows.declared.filter((row) => row.workspaceId === workspaceId && row.kind === kind),
    async transact(plan) {
      const { result, changed } = await transact(options, plan);
      if (changed) await notices?.notify();
      // It is written, whatever becomes of the reading: a secret that was made must reach the caller
      await refreshQuietly();
      return result;
    },
  };
}

/** Never rejects: logs once that the store is away, and once that it is back. */
function refreshing(
  refresh: () => Promise<void>,
  { logger, isClosed }: { readonly logger: Logger; readonly isClosed: () => boolean },
): () => Promise<void> {
  let there = true;
  return async () => {
    try {
      await refresh();
      if (!there) logger.info("access_store_back");
      there = true;
    } catch (error) {
      if (there && !isClosed()) logger.warn("access_store_away", { cause: String(error) });
      there = false;
    }
  };
}

/** What is counted beside the requests, behind them. */
function openCounts(options: AccessOptions, isPaused: () => boolean) {
  const uses = openKeyUses({ ...options, isPaused });
  const requests = openRequestCounts({ ...options, isPaused });
  function closeCounts(): void {
    uses.close();
    requests.close();
  }
  return { uses, requests, closeCounts };
}

/** All rows as of one version. */
interface AccessSet {
  /** "" for none. */
  readonly version: string;
  readonly index: AccessIndex;
  /** On our monotonic clock. */
  readonly pausedUntil: number;
  /** How far the clock of the last writer is ahead of ours, at least. */
  readonly aheadMs: number;
}

const kinds = ["company", "workspace", "key", "token", "declared"] as const;

async function readSet({ documents, installation, clock }: AccessOptions): Promise<AccessSet> {
  for (let attempt = 0; attempt < limits.accessAttemptsMax; attempt += 1) {
    const before = await documents.get(installation, head);
    const found = await Promise.all(kinds.map(async (kind) => {
      return (await documents.list(installation, kind)).map(({ value }) => ({ put: kind, row: value }) as PutWrite);
    }));
    const paused = await pausedUntil(documents, installation);
    const version = versionIn(before);
    // Written to between two reads: what was read may be of two versions
    if (versionIn(await documents.get(installation, head)) !== version) continue;
    const writtenAt = (before as AccessHead | undefined)?.writtenAt ?? 0;
    return {
      version,
      index: indexRows(rowsOf(found.flat())),
      // Both times are of the clock that wrote them, which may not be ours: only how long the pause was to last says the same everywhere
      pausedUntil: clock.monotonic() + Math.max(0, paused - writtenAt),
      aheadMs: Math.max(0, writtenAt - clock.now()),
    };
  }
  throw new Refusal("STORE_UNAVAILABLE", "Who may call is being changed all the time", { retryAfterSeconds: 1 });
}

function versionIn(found: unknown): string {
  return (found as AccessHead | undefined)?.version ?? "";
}

/** Plans again on what another writer wrote in between, until the plan's own version is the next one. */
async function transact<T>(options: AccessOptions, plan: AccessPlan<T>): Promise<{ result: T; changed: boolean }> {
  for (let attempt = 0; attempt < limits.accessAttemptsMax; attempt += 1) {
    const { version, index } = await readSet(options);
    const now = options.clock.now();
    const { writes, result } = plan(index.rows, now);
    if (writes.length === 0) return { result, changed: false };
    withWrites(index.rows, writes);
    const next = nextVersion(options.clock);
    if (await written(options, { version, next, writes: writes.map(documentWrite) })) return { result, changed: true };
  }
  throw new Refusal("STORE_UNAVAILABLE", "Others change who may call all the time; nothing was written", { retryAfterSeconds: 1 });
}

export function nextVersion(clock: Clock): Write & { readonly value: AccessHead } {
  return { key: head, value: { version: newId("v_", clock), writtenAt: clock.now() } };
}

/** Whether the change is the one that came next. An unknown outcome is found out by a write on the condition of it, which ends what is under way. */
async function written(
  { documents, installation }: AccessOptions,
  { version, next, writes }: { readonly version: string; readonly next: ReturnType<typeof nextVersion>; readonly writes: readonly Write[] },
): Promise<boolean> {
  function writeIf(last: string, planned: readonly Write[]) {
    return documents.changeIf(installation, { reads: [head], plan: ([found]) => versionIn(found) === last ? planned : "changed" });
  }
  try {
    return await writeIf(version, [next, ...writes]) === "committed";
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== "OUTCOME_UNKNOWN") throw error;
    if (await writeIf(next.value.version, [next]).catch(() => "") === "committed") return true;
    throw error;
  }
}

function documentWrite(write: AccessWrite): Write {
  return "drop" in write
    ? { key: { kind: write.drop, id: dropId(write) }, value: undefined }
    : { key: { kind: write.put, id: rowId(write) }, value: write.row };
}
