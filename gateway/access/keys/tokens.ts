/** Makes, revokes and rotates single SCIM tokens, beside whatever the declaration says. */
import { newId, secret } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ScimToken } from "../access.ts";
import { type AccessRows, endedAfter, endedNow, type TokenRow } from "../rows.ts";
import { digestOf, tokenPrefix } from "../secret.ts";
import type { AccessAdmin } from "../admin/admin.ts";

/** A token with the secret that was made for it; the secret is nowhere else. */
export interface NewToken {
  readonly token: ScimToken;
  readonly secret: string;
}

/** What a token is made of. */
export type TokenTerms = Pick<
  ScimToken,
  "companyId" | "name" | "origin" | "originHeader" | "permissionsOnCreate" | "defaultWorkspaceId" | "ipAllow"
>;

/**
 * Makes a token. Refuses: NOT_FOUND (no such company, or no such workspace of it), ALREADY_EXISTS (a valid token of the
 * company has the name).
 */
export async function createToken(admin: AccessAdmin, wanted: TokenTerms): Promise<NewToken> {
  return await admin.transact((rows, now) => {
    const { companyId, name, defaultWorkspaceId } = wanted;
    if (!rows.companies.some((row) => row.id === companyId)) throw new Refusal("NOT_FOUND", `No company has the id "${companyId}"`);
    const workspace = rows.workspaces.find((row) => row.id === defaultWorkspaceId && row.companyId === companyId);
    if (defaultWorkspaceId !== "" && !workspace) {
      throw new Refusal("NOT_FOUND", `No workspace of the company has the id "${defaultWorkspaceId}"`);
    }
    const twin = rows.tokens.find((row) => row.companyId === companyId && row.name === name && row.revokedAt === null);
    if (twin) {
      throw new Refusal(
        "ALREADY_EXISTS",
        `The SCIM token "${twin.id}" of this company is named "${name}" already: heddle scim-tokens rotate ${twin.id} makes another secret`,
      );
    }
    return withSecret(wanted, now);
  });
}

/** Ends a token for good, at once. Refuses: NOT_FOUND. Revoking it again changes nothing. */
export async function revokeToken(admin: AccessAdmin, id: string): Promise<ScimToken> {
  return await admin.transact((rows, now) => {
    const token = tokenById(rows, id);
    if (token.ended) return { writes: [], result: token };
    const revoked = endedNow(token, now);
    return { writes: [{ put: "token", row: revoked }], result: revoked };
  });
}

/**
 * Makes a second token on the terms of the first, which stays valid for `overlapMs`, or until it is revoked where that is
 * undefined. Refuses: NOT_FOUND, STATE_CONFLICT (the token is revoked or ends already).
 */
export async function rotateToken(admin: AccessAdmin, id: string, overlapMs?: number): Promise<NewToken> {
  return await admin.transact((rows, now) => {
    const token = tokenById(rows, id);
    if (token.revokedAt !== null) {
      throw new Refusal("STATE_CONFLICT", `The SCIM token "${id}" is revoked or rotated already: rotate the one that follows it`);
    }
    const { writes, result } = withSecret(token, now);
    if (overlapMs === undefined) return { writes, result };
    return { writes: [...writes, { put: "token", row: endedAfter(token, now, overlapMs) }], result };
  });
}

function tokenById(rows: AccessRows, id: string): TokenRow {
  const token = rows.tokens.find((row) => row.id === id);
  if (!token) throw new Refusal("NOT_FOUND", `No SCIM token has the id "${id}"`);
  return token;
}

function withSecret(wanted: TokenTerms, now: number) {
  const made = secret(tokenPrefix);
  const { companyId, name, origin, originHeader, permissionsOnCreate = "required", defaultWorkspaceId, ipAllow } = wanted;
  const terms = { companyId, name, origin, originHeader, permissionsOnCreate, defaultWorkspaceId, ipAllow };
  const token: ScimToken = { id: newId("tok_"), ...terms, createdAt: now, revokedAt: null };
  return { writes: [{ put: "token", row: { ...token, digest: digestOf(made) } } as const], result: { token, secret: made } };
}
