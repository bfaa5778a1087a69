/** The rows of the access tables: what is kept of companies, workspaces, keys, tokens and declared things. */
import type { ApiKey, Company, Ending, ScimToken, Workspace } from "./access.ts";

/** Everything the access tables hold, as one consistent read. */
export interface AccessRows {
  readonly companies: readonly Company[];
  readonly workspaces: readonly Workspace[];
  readonly keys: readonly KeyRow[];
  readonly tokens: readonly TokenRow[];
  readonly declared: readonly DeclaredRow[];
}

/** `digest` is the SHA-256 of the secret as 64 hex digits; the secret itself is nowhere. */
export interface KeyRow extends ApiKey {
  readonly digest: string;
  /** 32 bytes in base64url that seal the sessions of browsers; another one ends them all. Absent until the first is opened. */
  readonly sessionRoot?: string;
}

export interface TokenRow extends ScimToken {
  readonly digest: string;
}

/** `now` in Unix milliseconds. */
export function hasEnded({ revokedAt, ended }: Ending, now: number): boolean {
  return ended === true || (revokedAt !== null && revokedAt <= now);
}

/** As a person ends it. A time alone would not do: the clock that says it may be ahead of others, to which it would be valid again. */
export function endedNow<T extends Ending>(row: T, now: number): T {
  return { ...row, revokedAt: Math.min(row.revokedAt ?? now, now), ended: true };
}

/** As a rotation ends the former secret: after so many milliseconds, 0: now. */
export function endedAfter<T extends Ending>(row: T, now: number, overlapMs: number): T {
  return overlapMs === 0 ? endedNow(row, now) : { ...row, revokedAt: now + overlapMs };
}

/** A thing declared for the service that owns its kind. */
export interface DeclaredRow {
  /** For a permission set, which belongs to the whole company, the company's id. */
  readonly workspaceId: string;
  readonly kind: DeclaredKind;
  readonly id: string;
  /** What the declaration says of it, without the id. */
  readonly content: Readonly<Record<string, string>>;
}

export type DeclaredKind = "subscription_group" | "preference_center" | "team" | "permission_set";

/** What a declared thing is called in messages. */
export const declaredKinds: Readonly<Record<DeclaredKind, string>> = {
  subscription_group: "subscription group",
  preference_center: "preference center",
  team: "team",
  permission_set: "permission set",
};

/** One change of one row; a list of them is written whole or not at all. */
export type AccessWrite =
  | { readonly put: "company"; readonly row: Company }
  | { readonly put: "workspace"; readonly row: Workspace }
  | { readonly put: "key"; readonly row: KeyRow }
  | { readonly put: "token"; readonly row: TokenRow }
  | { readonly put: "declared"; readonly row: DeclaredRow }
  | { readonly drop: "company" | "workspace" | "key" | "token"; readonly id: string }
  | { readonly drop: "declared"; readonly workspaceId: string; readonly kind: DeclaredKind; readonly id: string };
