/** Ids of requests that bring none. */
import { randomUUID } from "node:crypto";

/** A random UUID (version 4); not a secret. */
export function newRequestId(): string {
  return randomUUID();
}
