/** Makes, revokes and rotates single API keys, beside whatever the declaration says. */
import { newId, secret } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ApiKey } from "../access.ts";
import { type AccessRows, endedAfter, endedNow, type KeyRow } from "../rows.ts";
import { digestOf, keyPrefix } from "../secret.ts";
import type { AccessAdmin } from "../admin/admin.ts";

/** A key with the secret that was made for it; the secret is nowhere else. */
export interface NewKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Makes a key. Refuses: NOT_FOUND (no such workspace), ALREADY_EXISTS (a valid key of the workspace has the name). */
export async function createKey(
  admin: AccessAdmin,
  wanted: Pick<ApiKey, "workspaceId" | "name" | "permissions" | "ipAllow">,
): Promise<NewKey> {
  return await admin.transact((rows, now) => {
    if (!rows.workspaces.some((row) => row.id === wanted.workspaceId)) {
      throw new Refusal("NOT_FOUND", `No workspace has the id "${wanted.workspaceId}"`);
    }
    const twin = rows.keys.find((row) => row.workspaceId === wanted.workspaceId && row.name === wanted.name && row.revokedAt === null);
    if (twin) {
      throw new Refusal(
        "ALREADY_EXISTS",
        `The key "${twin.id}" of this workspace is named "${wanted.name}" already: heddle keys rotate ${twin.id} makes another secret`,
      );
    }
    return withSecret(wanted, now);
  });
}

/** Ends a key for good, at once. Refuses: NOT_FOUND. Revoking it again changes nothing. */
export async function revokeKey(admin: AccessAdmin, id: string): Promise<ApiKey> {
  return await admin.transact((rows, now) => {
    const key = keyById(rows, id);
    if (key.ended) return { writes: [], result: key };
    const revoked = endedNow(key, now);
    return { writes: [{ put: "key", row: revoked }], result: revoked };
  });
}

/**
 * Makes a second key with the name and rights of the first, which stays valid for `overlapMs`, or until it is
 * revoked where that is undefined. Refuses: NOT_FOUND, STATE_CONFLICT (the key is revoked or ends already).
 */
export async function rotateKey(admin: AccessAdmin, id: string, overlapMs?: number): Promise<NewKey> {
  return await admin.transact((rows, now) => {
    const key = keyById(rows, id);
    if (key.revokedAt !== null) {
      throw new Refusal("STATE_CONFLICT", `The key "${id}" is revoked or rotated already: rotate the one that follows it`);
    }
    const { writes, result } = withSecret(key, now);
    if (overlapMs === undefined) return { writes, result };
    return { writes: [...writes, { put: "key", row: endedAfter(key, now, overlapMs) }], result };
  });
}

/** Refuses: NOT_FOUND. */
export function keyById({ keys }: Pick<AccessRows, "keys">, id: string): KeyRow {
  const key = keys.find((row) => row.id === id);
  if (!key) throw new Refusal("NOT_FOUND", `No API key has the id "${id}"`);
  return key;
}

function withSecret(wanted: Pick<ApiKey, "workspaceId" | "name" | "permissions" | "ipAllow">, now: number) {
  const made = secret(keyPrefix);
  const { workspaceId, name, permissions, ipAllow } = wanted;
  const key: ApiKey = { id: newId("key_"), workspaceId, name, permissions, ipAllow, createdAt: now, revokedAt: null };
  return { writes: [{ put: "key", row: { ...key, digest: digestOf(made) } } as const], result: { key, secret: made } };
}
