/** Access kept in SQLite: a set in memory that answers every request, and the tables it is read from. */
import { timingSafeEqual } from "node:crypto";

import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { migrate } from "../../platform/sqlite/migrate.ts";
import type { Access, CompanyDirectory, KeyHolder, NamedThing, TokenHolder, Workspace } from "./access.ts";
import { readRows, writeRow } from "./row-store.ts";
import { type AccessRows, accessSchema, type AccessWrite, type DeclaredKind, type DeclaredRow } from "./rows.ts";
import { digestOf, mayBeSecret } from "./secret.ts";

/** Changes who may call; for the command line and the declaration. */
export interface AccessAdmin {
  /** Everything as it stands in the store now. */
  rows(): AccessRows;
  /**
   * Plans on the rows as they stand and writes the result, whole or not at all and durably; other processes see
   * it within `accessRefreshMs`. `plan` may run twice, so it keeps no state and throws to write nothing.
   */
  transact<T>(plan: (rows: AccessRows, now: number) => { readonly writes: readonly AccessWrite[]; readonly result: T }): Promise<T>;
  /** Things of a kind that the declaration names, for the service that owns the kind. */
  declared(workspaceId: string, kind: DeclaredKind): readonly DeclaredRow[];
}

/**
 * Opens the tables, making them where they are missing, and holds all of them in memory. What another process
 * writes is seen within `accessRefreshMs`; while the store is away the last known set serves.
 */
export async function openAccess(options: { readonly database: Database; readonly clock: Clock }): Promise<Access & AccessAdmin> {
  const { database, clock } = options;
  await migrate(database, "access", accessSchema);
  let version = storeVersion(database);
  let held = index(readRows(database));
  let stopRefresh: (() => void) | undefined;
  let closed = false;

  function readAgain(): void {
    // The version is read first: a write between the two makes the next refresh read again, and nothing is missed.
    version = storeVersion(database);
    held = index(readRows(database));
  }

  function refreshIfChanged(): void {
    if (storeVersion(database) !== version) readAgain();
  }

  function refreshLater(): void {
    stopRefresh = clock.after(limits.accessRefreshMs, () => {
      if (closed) return;
      try {
        refreshIfChanged();
      } catch {
        // The store is away: the last known set serves, and the next turn asks again.
      }
      refreshLater();
    });
  }

  refreshLater();
  return {
    findApiKey: (secret) => find(held.keys, secret, clock.now()),
    findScimToken: (secret) => find(held.tokens, secret, clock.now()),
    workspace: (id) => held.workspaces.get(id),
    async refresh() {
      refreshIfChanged();
    },
    close() {
      closed = true;
      stopRefresh?.();
    },
    rows: () => readRows(database),
    declared: (workspaceId, kind) => held.declared.filter((row) => row.workspaceId === workspaceId && row.kind === kind),
    async transact(plan) {
      const result = await database.write(() => {
        const planned = plan(readRows(database), clock.now());
        for (const write of planned.writes) writeRow(database, write);
        return planned.result;
      });
      readAgain();
      return result;
    },
  };
}

/** A number that changes when another connection has written. */
function storeVersion(database: Database): unknown {
  return database.prepare("PRAGMA data_version").get()?.["data_version"];
}

/** What requests ask for, by what they ask with. */
interface Held {
  readonly keys: ReadonlyMap<string, Entry<KeyHolder>>;
  readonly tokens: ReadonlyMap<string, Entry<TokenHolder>>;
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly declared: readonly DeclaredRow[];
}

interface Entry<T> {
  readonly digest: Buffer;
  /** From this time on the secret is no longer valid; null: it stays. */
  readonly revokedAt: number | null;
  readonly holder: T;
}

function find<T>(entries: ReadonlyMap<string, Entry<T>>, secret: string, now: number): T | undefined {
  if (!mayBeSecret(secret)) return undefined;
  const digest = digestOf(secret);
  const entry = entries.get(digest);
  if (!entry || !timingSafeEqual(entry.digest, Buffer.from(digest, "hex"))) return undefined;
  return entry.revokedAt !== null && entry.revokedAt <= now ? undefined : entry.holder;
}

function index(rows: AccessRows): Held {
  const companies = new Map(rows.companies.map((row) => [row.id, row]));
  const workspaces = new Map(rows.workspaces.map((row) => [row.id, row]));
  const keys = new Map<string, Entry<KeyHolder>>();
  for (const { digest, ...key } of rows.keys) {
    const workspace = workspaces.get(key.workspaceId);
    const company = workspace && companies.get(workspace.companyId);
    if (workspace && company) keys.set(digest, entryOf(digest, key.revokedAt, { key, workspace, company }));
  }
  const tokens = new Map<string, Entry<TokenHolder>>();
  for (const { digest, ...token } of rows.tokens) {
    const company = companies.get(token.companyId);
    if (company) tokens.set(digest, entryOf(digest, token.revokedAt, { token, company, directory: directoryOf(rows, company.id) }));
  }
  return { keys, tokens, workspaces, declared: rows.declared };
}

/** One object a company would be as good: tokens are few. */
function directoryOf(rows: AccessRows, companyId: string): CompanyDirectory {
  function declared(owner: string, kind: DeclaredKind): NamedThing[] {
    const found = rows.declared.filter((row) => row.workspaceId === owner && row.kind === kind);
    return found.map(({ id, content }) => ({ id, name: content["name"] ?? "" }));
  }
  const workspaces = rows.workspaces.filter((row) => row.companyId === companyId);
  return {
    workspaces: workspaces.map(({ id, name }) => ({ id, name, teams: declared(id, "team") })),
    permissionSets: declared(companyId, "permission_set"),
  };
}

function entryOf<T>(digest: string, revokedAt: number | null, holder: T): Entry<T> {
  return { digest: Buffer.from(digest, "hex"), revokedAt, holder };
}
