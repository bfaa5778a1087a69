/** Keys of links: each workspace has its own, so a holder of those of one can make links of no other. */
import { Buffer } from "node:buffer";
import { limits } from "./limits.ts";
import { newSealKey, ownersKey, seal, type SealedBy, sealedBy, type SealKey, unseal } from "./sealed-token.ts";

/** Keys in rings, each numbered by itself. A key never changes and never goes. */
export interface LinkKeys {
  /** Newest first. */
  all(ring: string): Promise<SealKey[]>;
  /** Adds the key that `make` gives for the next number of the ring; with `unlessAny` only where there is none. */
  add(ring: string, make: (id: number) => SealKey, options: { readonly unlessAny: boolean }): Promise<void>;
}

export interface LinkSeal {
  /** Sealed with the workspace's newest key. `values` is JSON. */
  seal(workspaceId: string, values: readonly unknown[]): Promise<string>;
  /** Undefined for a token that is none of ours, whatever is wrong with it. */
  open(token: string): Promise<{ readonly workspaceId: string; readonly values: readonly unknown[] } | undefined>;
  /** Makes a new root for links from now on, and gives its number. Older links stay good. */
  rotate(): Promise<number>;
}

/** Keys that sealed links of all workspaces before each had its own. They open what was sent, and seal nothing. */
export const sharedRing = "";
/** The keys of workspaces are made of these. */
export const rootRing = "roots";

/** `steady`: the same values give the same token while the key is the same. */
export function openLinkSeal(keys: LinkKeys, purpose: string, { steady = false }: { readonly steady?: boolean } = {}): LinkSeal {
  async function newestRoot(): Promise<SealKey> {
    const [key] = await keys.all(rootRing);
    if (key !== undefined) return key;
    await keys.add(rootRing, newSealKey, { unlessAny: true });
    return newestRoot();
  }
  // Those that were seen need not be read for each link
  const known = new Map<string, SealKey>();
  async function keyIn(ring: string, id: number): Promise<SealKey | undefined> {
    const name = `${ring} ${id}`;
    if (!known.has(name)) { for (const key of await keys.all(ring)) known.set(`${ring} ${key.id}`, key); }
    return known.get(name);
  }
  /** What the workspace brought along from another installation may bear the number of one of ours. */
  async function opened({ id, owner }: SealedBy, token: string): Promise<string | undefined> {
    const key = await keyIn(owner === undefined ? sharedRing : rootRing, id);
    const text = key && unseal(owner === undefined ? key : ownersKey(key, owner), purpose, token);
    if (text !== undefined || owner === undefined) return text;
    const brought = (await broughtKeys(keys, owner)).filter((candidate) => candidate.id === id);
    return brought.map((candidate) => unseal(candidate, purpose, token)).find((found) => found !== undefined);
  }
  return {
    async seal(workspaceId, values) {
      const key = ownersKey(await newestRoot(), workspaceId);
      return seal(key, { purpose, owner: workspaceId, steady }, JSON.stringify(values));
    },
    async open(token) {
      const by = token.length <= limits.linkTokenCharsMax ? sealedBy(token) : undefined;
      const text = by && await opened(by, token);
      if (by === undefined || text === undefined) return undefined;
      const values = JSON.parse(text) as unknown[];
      // Before a workspace had keys of its own it stood among the values
      return by.owner === undefined ? { workspaceId: String(values[0]), values: values.slice(1) } : { workspaceId: by.owner, values };
    },
    async rotate() {
      await keys.add(rootRing, newSealKey, { unlessAny: false });
      return (await newestRoot()).id;
    },
  };
}

/** All that seals or opens links of one workspace and of no other: those of this installation, and those that it brought along. */
export async function workspaceKeys(keys: LinkKeys, workspaceId: string): Promise<SealKey[]> {
  const own = (await keys.all(rootRing)).map((root) => ownersKey(root, workspaceId));
  return [...await broughtKeys(keys, workspaceId), ...own];
}

/** Keeps keys that a workspace brings along; those that are there already stay as they are. */
export async function bringKeys(keys: LinkKeys, workspaceId: string, brought: readonly SealKey[]): Promise<void> {
  const there = new Set((await broughtKeys(keys, workspaceId)).map(textOf));
  for (const key of brought.filter((one) => !there.has(textOf(one)))) {
    const bytes = Buffer.concat([numberBytes(key.id), key.bytes]);
    await keys.add(ringOf(workspaceId), (id) => ({ id, bytes }), { unlessAny: false });
  }
}

/** Numbered anew in their ring, so their own numbers stand in front of them. */
async function broughtKeys(keys: LinkKeys, workspaceId: string): Promise<SealKey[]> {
  const rows = await keys.all(ringOf(workspaceId));
  return rows.map(({ bytes }) => ({ id: Buffer.from(bytes).readUInt32BE(0), bytes: bytes.subarray(numberLength) }));
}

const numberLength = 4;

function numberBytes(id: number): Buffer {
  const bytes = Buffer.alloc(numberLength);
  bytes.writeUInt32BE(id);
  return bytes;
}

function textOf({ id, bytes }: SealKey): string {
  return `${id} ${Buffer.from(bytes).toString("base64")}`;
}

function ringOf(workspaceId: string): string {
  return `of ${workspaceId}`;
}
