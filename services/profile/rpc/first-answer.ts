/** The first answer of a keyed request where it is known only after the request was applied: stored before it is given. */
import { Buffer } from "node:buffer";
import { hexOf, type IdempotencyEntry, sha256 } from "../../../platform/intake/idempotency.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { RequestContext } from "../../../platform/request-context.ts";
import type { IdentityKey, RepeatRow } from "../domain/identity/identity.ts";
import type { IdentityStore } from "../domain/ports.ts";
import { trackBody } from "../intake/body-message.ts";
import { submit, type WriteDeps } from "../intake/submit.ts";

/** A keyed request that the resolver has decided. */
export interface KeyedRequest {
  readonly scope: RequestContext;
  readonly idempotency: IdempotencyEntry;
}

/**
 * The stored answer of the request, or else the one that `make` gives, stored. The order of the workspace decides between
 * several that store at once, so all of them give the same. No caller was given an answer that is not stored: where the
 * process of the first request died before, a repeat stores its own. Refuses as submit does.
 */
export async function firstAnswer(
  deps: WriteDeps & { readonly identities: IdentityStore },
  { scope, idempotency }: KeyedRequest,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { workspaceId } = scope;
  const decided = (await deps.identities.load(workspaceId, [rowKey(idempotency.keyHash)])).get(rowKey(idempotency.keyHash));
  if (decided === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  // With the record that was decided: a key that is used anew after its time has another answer
  const keyHash = sha256(`${hexOf(idempotency.keyHash)} answered ${(decided as RepeatRow).sequence}`);
  const stored = (await deps.identities.load(workspaceId, [rowKey(keyHash)])).get(rowKey(keyHash));
  if (stored !== undefined) return await whole(deps.identities, workspaceId, (stored as RepeatRow).answer);
  const answer = await make();
  const first = await store(deps, { scope, idempotency: { ...idempotency, keyHash } }, answer);
  return first === undefined ? answer : await whole(deps.identities, workspaceId, first);
}

/** Undefined: this answer is the first; else the stored form of the one that is. */
async function store(deps: WriteDeps, { scope, idempotency }: KeyedRequest, answer: Uint8Array): Promise<string | undefined> {
  if (answer.length <= limits.firstAnswerPieceBytesMax) return await put(deps, scope, { ...idempotency, answer: stored(wholeTag, answer) });
  const digest = sha256(answer);
  const pieces = Math.ceil(answer.length / limits.firstAnswerPieceBytesMax);
  for (let at = 0; at < pieces; at += 1) {
    const from = at * limits.firstAnswerPieceBytesMax;
    const piece = answer.subarray(from, from + limits.firstAnswerPieceBytesMax);
    const keepMs = idempotency.keepMs + BigInt(limits.firstAnswerPieceGraceMs);
    await put(deps, scope, { ...idempotency, keyHash: pieceHash(digest, at), keepMs, answer: stored(wholeTag, piece) });
  }
  const count = Buffer.alloc(countBytes);
  count.writeUInt32BE(pieces);
  return await put(deps, scope, { ...idempotency, answer: stored(piecesTag, Buffer.concat([count, digest])) });
}

/** One record that changes no user and is remembered under its own key. */
async function put(deps: WriteDeps, scope: RequestContext, idempotency: IdempotencyEntry): Promise<string | undefined> {
  const { repeatOf } = await submit(deps, scope, { body: trackBody([]), idempotency });
  return repeatOf;
}

async function whole(identities: IdentityStore, workspaceId: string, text: string): Promise<Uint8Array> {
  const bytes = Buffer.from(text, "base64");
  if (bytes[0] === wholeTag) return bytes.subarray(1);
  const digest = bytes.subarray(1 + countBytes);
  const keys = Array.from({ length: bytes.readUInt32BE(1) }, (_, at) => rowKey(pieceHash(digest, at)));
  const rows = await identities.load(workspaceId, keys);
  return Buffer.concat(keys.map((key) => {
    const row = rows.get(key);
    if (row === undefined) throw new Refusal("OUTCOME_UNKNOWN");
    return Buffer.from((row as RepeatRow).answer, "base64").subarray(1);
  }));
}

/** The row of a request with this key. */
export function rowKey(keyHash: Uint8Array): IdentityKey {
  return `r:${hexOf(keyHash)}`;
}

function pieceHash(digest: Uint8Array, at: number): IdempotencyEntry["keyHash"] {
  return sha256(`${hexOf(digest)} ${at}`);
}

function stored(tag: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Buffer.of(tag), bytes]);
}

const wholeTag = 0;
const piecesTag = 1;
const countBytes = 4;
