/** Who may call, in memory: the rows of the store by what requests ask with. */
import { timingSafeEqual } from "node:crypto";

import type { CompanyDirectory, Ending, KeyHolder, NamedThing, TokenHolder, Workspace } from "./access.ts";
import { type AccessRows, type DeclaredKind, hasEnded } from "./rows.ts";
import { digestOf, mayBeSecret } from "./secret.ts";

export interface AccessIndex {
  readonly rows: AccessRows;
  readonly keys: ReadonlyMap<string, Entry<KeyHolder>>;
  readonly tokens: ReadonlyMap<string, Entry<TokenHolder>>;
  /** What seals the sessions of a key, by the key's id. */
  readonly sessionRoots: ReadonlyMap<string, string>;
  readonly workspaces: ReadonlyMap<string, Workspace>;
  /** Of all workspaces. */
  readonly origins: ReadonlySet<string>;
}

interface Entry<T> {
  readonly digest: Buffer;
  readonly ending: Ending;
  readonly holder: T;
}

/**
 * Who holds the secret at `now` (Unix milliseconds); undefined: unknown or revoked. Looked up by its SHA-256, so the time
 * that takes reveals nothing of the secrets there are, and compared in constant time.
 */
export function findHolder<T>(entries: ReadonlyMap<string, Entry<T>>, secret: string, now: number): T | undefined {
  if (!mayBeSecret(secret)) return undefined;
  const digest = digestOf(secret);
  const entry = entries.get(digest);
  if (!entry || !timingSafeEqual(entry.digest, Buffer.from(digest, "hex"))) return undefined;
  return hasEnded(entry.ending, now) ? undefined : entry.holder;
}

export function indexRows(rows: AccessRows): AccessIndex {
  const companies = new Map(rows.companies.map((row) => [row.id, row]));
  const workspaces = new Map(rows.workspaces.map((row) => [row.id, row]));
  const keys = new Map<string, Entry<KeyHolder>>();
  const sessionRoots = new Map<string, string>();
  for (const { digest, sessionRoot, ...key } of rows.keys) {
    if (sessionRoot !== undefined) sessionRoots.set(key.id, sessionRoot);
    const workspace = workspaces.get(key.workspaceId);
    const company = workspace && companies.get(workspace.companyId);
    if (workspace && company) keys.set(digest, entryOf(digest, key, { key, workspace, company }));
  }
  const tokens = new Map<string, Entry<TokenHolder>>();
  for (const { digest, ...token } of rows.tokens) {
    const company = companies.get(token.companyId);
    if (company) tokens.set(digest, entryOf(digest, token, { token, company, directory: directoryOf(rows, company.id) }));
  }
  const origins = new Set(rows.workspaces.flatMap(({ corsOrigins = [] }) => corsOrigins));
  return { rows, keys, tokens, sessionRoots, workspaces, origins };
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

function entryOf<T>(digest: string, ending: Ending, holder: T): Entry<T> {
  return { digest: Buffer.from(digest, "hex"), ending, holder };
}
