/** The first answer of a keyed request where it is known only after the request was applied: stored before it is given. */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { IdentityKey, RepeatRow } from "../domain/identity.ts";
import type { Idempotency } from "../domain/intake-record.ts";
import type { IdentityStore } from "../domain/ports.ts";
import { submit, type WriteParts, type WriteRequest } from "../domain/submit.ts";

/** A keyed request that the resolver has decided. */
export interface KeyedRequest {
  readonly request: WriteRequest;
  readonly mark: Idempotency;
}

/**
 * The stored answer of the request, or else the one that `make` gives, stored. The order of the workspace decides between
 * several that store at once, so all of them give the same. Nobody was given an answer that is not stored: where the
 * process of the first request died before, a repeat stores its own. Refuses as submit does.
 */
export async function firstAnswer(
  parts: WriteParts & { readonly identities: IdentityStore },
  { request, mark }: KeyedRequest,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { workspaceId } = request;
  const decided = (await parts.identities.load(workspaceId, [rowKey(mark.keyHash)])).get(rowKey(mark.keyHash));
  if (decided === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  // With the record that was decided: a key that is used anew after its time has another answer
  const keyHash = hash("sha256", `${mark.keyHash} answered ${(decided as RepeatRow).sequence}`, "hex");
  const stored = (await parts.identities.load(workspaceId, [rowKey(keyHash)])).get(rowKey(keyHash));
  if (stored !== undefined) return await whole(parts.identities, workspaceId, (stored as RepeatRow).answer);
  const answer = await make();
  const told = await store(parts, { request, mark: { ...mark, keyHash } }, answer);
  return told === undefined ? answer : await whole(parts.identities, workspaceId, told);
}

/** Undefined: this answer is the first; else the stored form of the one that is. */
async function store(parts: WriteParts, { request, mark }: KeyedRequest, answer: Uint8Array): Promise<string | undefined> {
  if (answer.length <= limits.firstAnswerPieceBytesMax) return await put(parts, request, { ...mark, answer: stored(wholeTag, answer) });
  const digest = hash("sha256", answer, "buffer");
  const pieces = Math.ceil(answer.length / limits.firstAnswerPieceBytesMax);
  for (let at = 0; at < pieces; at += 1) {
    const from = at * limits.firstAnswerPieceBytesMax;
    const piece = answer.subarray(from, from + limits.firstAnswerPieceBytesMax);
    const keepMs = mark.keepMs + limits.firstAnswerPieceGraceMs;
    await put(parts, request, { ...mark, keyHash: pieceHash(digest, at), keepMs, answer: stored(wholeTag, piece) });
  }
  const count = Buffer.alloc(countBytes);
  count.writeUInt32BE(pieces);
  return await put(parts, request, { ...mark, answer: stored(piecesTag, Buffer.concat([count, digest])) });
}

/** One record that changes no user and is remembered under its own key. */
async function put(parts: WriteParts, request: WriteRequest, mark: Idempotency): Promise<string | undefined> {
  const { repeatOf } = await submit(parts, { ...request, idempotency: mark }, { body: { type: "track", objects: [] } });
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

function rowKey(keyHash: string): IdentityKey {
  return `r:${keyHash}`;
}

function pieceHash(digest: Uint8Array, at: number): string {
  return hash("sha256", `${Buffer.from(digest).toString("hex")} ${at}`, "hex");
}

function stored(tag: number, bytes: Uint8Array): string {
  return Buffer.concat([Buffer.of(tag), bytes]).toString("base64");
}

const wholeTag = 0;
const piecesTag = 1;
const countBytes = 4;
