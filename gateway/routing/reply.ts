/** Successes as JSON: the parts of an answer that many routes share. */
import { Refusal } from "../../platform/refusal.ts";
import type { Reply } from "./route.ts";

/** What a service says of every write. */
export interface WriteReceipt {
  /** Opaque; empty where nothing was written. */
  readonly position: string;
  /** The answer is that of an earlier request with the same key. */
  readonly replayed: boolean;
}

/** `body` with `message: "success"`, which clients compare word for word (api-facts 11.2). */
export function success(body: Readonly<Record<string, unknown>>, receipt?: WriteReceipt): Reply {
  return { body: JSON.stringify({ ...body, message: "success" }), headers: receiptHeaders(receipt) };
}

/** As success(), of a read: X-Heddle-Read where it answers although it has not seen every earlier write. */
export function readReply(body: Readonly<Record<string, unknown>>, { behind }: { readonly behind: boolean }): Reply {
  return { ...success(body), headers: readHeaders(behind) };
}

/** X-Heddle-Position for a read that must see this write, Idempotency-Replayed where the write was not done again. */
export function receiptHeaders(receipt: WriteReceipt | undefined): readonly string[] {
  if (receipt === undefined) return none;
  const position = receipt.position === "" ? none : ["X-Heddle-Position", receipt.position];
  return receipt.replayed ? [...position, "Idempotency-Replayed", "true"] : position;
}

/** X-Heddle-Read for a read that answers although it has not seen every earlier write. */
export function readHeaders(behind: boolean): readonly string[] {
  return behind ? ["X-Heddle-Read", "behind"] : none;
}

/** Undefined where the part that is asked refuses or does not answer; a fault is passed on. */
export async function unlessRefused<Asked extends Promise<unknown>>(asked: Asked): Promise<Awaited<Asked> | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** `{"users":[...],` and the rest of the members, without decoding what the service has encoded. */
export function usersBody(users: readonly Uint8Array[], rest: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('{"users":[')];
  for (const [at, user] of users.entries()) {
    if (at > 0) parts.push(comma);
    parts.push(user);
  }
  parts.push(Buffer.from(`],${JSON.stringify({ ...rest, message: "success" }).slice(1)}`));
  return Buffer.concat(parts);
}

const none: readonly string[] = [];
const comma = Buffer.from(",");
