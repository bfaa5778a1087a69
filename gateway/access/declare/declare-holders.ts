/** Plans the API keys and SCIM tokens of a declaration. */
import { newId, secret } from "../../../platform/identifier.ts";
import type { Company, Workspace } from "../access.ts";
import type { DeclaredHolder, DeclaredKey, DeclaredToken } from "../declaration/declared.ts";
import { type Plan, put } from "./declare-plan.ts";
import type { PutWrite } from "../row-set.ts";
import { hasEnded, type KeyRow, type TokenRow } from "../rows.ts";
import { digestOf, keyPrefix, tokenPrefix } from "../secret.ts";

/** Brings the keys of a workspace to what the file says. */
export function planKeys(plan: Plan, owner: { readonly workspace: Workspace; readonly path: string }, keys: readonly DeclaredKey[]): void {
  for (const key of keys) {
    planHolder<KeyRow>(plan, key, {
      what: "API key",
      path: `${owner.path}/${key.name}`,
      siblings: plan.rows.keys.filter((row) => row.workspaceId === owner.workspace.id),
      newSecret: () => secret(keyPrefix),
      changed: (row) => ({ ...row, permissions: key.permissions }),
      make: (holder) => ({ ...holder, id: newId("key_"), workspaceId: owner.workspace.id, permissions: key.permissions }),
      write: (row) => ({ put: "key", row }),
    });
  }
}

/** Brings the SCIM tokens of a company to what the file says. */
export function planTokens(
  plan: Plan,
  { company, workspaces }: { readonly company: Company; readonly workspaces: readonly Workspace[] },
  tokens: readonly DeclaredToken[],
): void {
  for (const token of tokens) {
    const terms = tokenTerms(plan, token, workspaces);
    planHolder<TokenRow>(plan, token, {
      what: "SCIM token",
      path: `${company.name}/${token.name}`,
      siblings: plan.rows.tokens.filter((row) => row.companyId === company.id),
      newSecret: () => secret(tokenPrefix),
      changed: (row) => ({ ...row, ...terms }),
      make: (holder) => {
        if (token.origin === undefined) {
          plan.problems.push({
            line: token.line,
            text: `the SCIM token "${token.name}" has no "origin"; it is what callers send as X-Request-Origin`,
          });
        }
        return { ...unbound, ...holder, id: newId("tok_"), companyId: company.id, ...terms };
      },
      write: (row) => ({ put: "token", row }),
    });
  }
}

const unbound = { origin: "", originHeader: "required", permissionsOnCreate: "required", defaultWorkspaceId: "" } as const;

/** What the file says of a token; what it leaves out is left as it is. */
function tokenTerms(
  plan: Plan,
  { line, origin, originHeader, permissionsOnCreate, defaultWorkspace }: DeclaredToken,
  workspaces: readonly Workspace[],
): Partial<Pick<TokenRow, "origin" | "originHeader" | "permissionsOnCreate" | "defaultWorkspaceId">> {
  const workspace = workspaces.findLast(({ name }) => name === defaultWorkspace);
  if (defaultWorkspace !== undefined && !workspace) {
    plan.problems.push({ line, text: `the company has no workspace "${defaultWorkspace}" for "defaultWorkspace"` });
  }
  return {
    ...(origin === undefined ? {} : { origin }),
    ...(originHeader === undefined ? {} : { originHeader }),
    ...(permissionsOnCreate === undefined ? {} : { permissionsOnCreate }),
    ...(workspace ? { defaultWorkspaceId: workspace.id } : {}),
  };
}

interface HolderKind<T extends KeyRow | TokenRow> {
  readonly what: string;
  readonly path: string;
  /** Those of the same workspace or company. */
  readonly siblings: readonly T[];
  newSecret(): string;
  changed(row: T): T;
  make(holder: Pick<KeyRow, "name" | "ipAllow" | "digest" | "createdAt" | "revokedAt">): T;
  write(row: T): PutWrite;
}

function planHolder<T extends KeyRow | TokenRow>(plan: Plan, declared: DeclaredHolder, kind: HolderKind<T>): void {
  const digest = declared.secret === undefined ? undefined : digestOf(declared.secret);
  const living = kind.siblings.filter((row) => row.name === declared.name && !hasEnded(row, plan.now));
  const same = digest === undefined ? living : kind.siblings.filter((row) => row.digest === digest);
  if (digest !== undefined && same.length === 0 && belongsElsewhere(plan, digest)) {
    plan.problems.push({ line: declared.line, text: `the secret of "${kind.path}" already belongs to another key or token` });
    return;
  }
  const lasts = digest === undefined ? same.some(({ revokedAt }) => revokedAt === null) : same.length > 0;
  if (!lasts) create(plan, { declared, kind, replaces: living.some(({ revokedAt }) => revokedAt === null) });
  for (const row of same) keep(plan, row, { declared, kind });
}

/**
 * A revoked secret stays revoked: a file that is older than the revocation must not bring it back. One that ends later has the
 * rights of the file until then.
 */
function keep<T extends KeyRow | TokenRow>(
  plan: Plan,
  row: T,
  of: { readonly declared: DeclaredHolder; readonly kind: HolderKind<T> },
): void {
  const { declared, kind } = of;
  const { revokedAt } = row;
  const ended = hasEnded(row, plan.now);
  const next = ended ? row : kind.changed({ ...row, name: declared.name, ipAllow: declared.ipAllow ?? row.ipAllow });
  const shown = revokedAt !== null || declared.secret !== undefined ? {} : { secretShownBefore: true as const };
  const change = { what: kind.what, path: kind.path, id: row.id, ...(revokedAt !== null && { note: endNote(revokedAt, ended) }), ...shown };
  put(plan, kind.write(next), { found: row, line: declared.line, change });
}

function endNote(revokedAt: number, ended: boolean): string {
  return ended ? "revoked, and stays so; give it another secret to have it again" : `ends at ${new Date(revokedAt).toISOString()}`;
}

function create<T extends KeyRow | TokenRow>(
  plan: Plan,
  of: { readonly declared: DeclaredHolder; readonly kind: HolderKind<T>; readonly replaces: boolean },
): void {
  const { declared, kind } = of;
  const made = declared.secret ?? kind.newSecret();
  const holder = { name: declared.name, ipAllow: declared.ipAllow ?? [], digest: digestOf(made), createdAt: plan.now, revokedAt: null };
  const row = kind.make(holder);
  const note = of.replaces && !plan.prune ? { note: "the secret it had before stays valid until it is revoked or pruned" } : {};
  put(plan, kind.write(row), { found: undefined, line: declared.line, change: { what: kind.what, path: kind.path, id: row.id, ...note } });
  if (declared.secret === undefined) plan.secrets.push({ what: kind.what, path: kind.path, secret: made });
}

function belongsElsewhere(plan: Plan, digest: string): boolean {
  return plan.rows.keys.some((row) => row.digest === digest) || plan.rows.tokens.some((row) => row.digest === digest);
}
