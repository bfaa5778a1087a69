/**
 * Sessions of browsers: the secret of a key that was typed once, sealed for some hours. What seals it lies in the key's row, so all
 * gateways open it, another root ends every session of the key, and a mere reader of the store can make none: the secret is not there.
 */
import { Buffer } from "node:buffer";
import { limits } from "../../../platform/limits.ts";
import { newSealKey, seal, sealedBy, type SealKey, unseal } from "../../../platform/sealed-token.ts";
import type { Session } from "../access.ts";
import type { AccessAdmin } from "../admin/admin.ts";
import { type AccessIndex, findHolder } from "../access-index.ts";
import { keyById } from "./keys.ts";

/** What a browser is given. */
export interface OpenedSession {
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Writes only when the key opens its first session. */
export async function openSession(
  admin: AccessAdmin,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<OpenedSession> {
  return await admin.transact((rows, now) => {
    const key = keyById(rows, id);
    const root = key.sessionRoot ?? newRoot();
    const expiresAt = now + limits.consoleSessionMs;
    const token = seal(sealKeyOf(root), { purpose, owner: id }, JSON.stringify({ secret, expiresAt } satisfies Sealed));
    const writes = key.sessionRoot === undefined ? [{ put: "key", row: { ...key, sessionRoot: root } } as const] : [];
    return { writes, result: { token, expiresAt } };
  });
}

/** Ends every session of the key, on all gateways. */
export async function endSessions(admin: AccessAdmin, keyId: string): Promise<void> {
  await admin.transact((rows) => {
    return { writes: [{ put: "key", row: { ...keyById(rows, keyId), sessionRoot: newRoot() } }], result: undefined };
  });
}

/** See Access.findSession. */
export function findSession(index: AccessIndex, token: string, now: number): Session | undefined {
  const owner = sealedBy(token)?.owner;
  const root = owner === undefined ? undefined : index.sessionRoots.get(owner);
  const text = root === undefined ? undefined : unseal(sealKeyOf(root), purpose, token);
  if (text === undefined) return undefined;
  const { secret, expiresAt } = JSON.parse(text) as Sealed;
  const holder = expiresAt > now ? findHolder(index.keys, secret, now) : undefined;
  return holder?.key.id === owner && holder !== undefined ? { holder, expiresAt } : undefined;
}

interface Sealed {
  readonly secret: string;
  readonly expiresAt: number;
}

const purpose = "console session 1";

function newRoot(): string {
  return Buffer.from(newSealKey(1).bytes).toString("base64url");
}

function sealKeyOf(root: string): SealKey {
  return { id: 1, bytes: Buffer.from(root, "base64url") };
}
