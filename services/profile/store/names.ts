/** Names in the order of their bytes: where those with a prefix end, and in which partition of Cassandra a name lies. */
import { Buffer } from "node:buffer";
import { bucketOf } from "../../../platform/cassandra/buckets.ts";
import { limits } from "../../../platform/limits.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { NameKind } from "../domain/ports.ts";

/** Comes after every character that a name may go on with; no text of people ends with it. */
export const lastCharacter = "\u{10ffff}";

export interface ListedName {
  readonly kind: NameKind;
  readonly name: string;
}

/** Undefined: the key is of no name that users are found by. */
export function listedName(key: IdentityKey): ListedName | undefined {
  const kind = key.slice(0, 1);
  return kind === "x" || kind === "a" || kind === "e" || kind === "p" ? { kind, name: key.slice(kind.length + 1) } : undefined;
}

export function shardOf({ kind, name }: ListedName): number {
  return bucketOf(`${kind}${name}`) % limits.nameShards;
}

/** As Cassandra and SQLite order texts, which is not by UTF-16 units. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
