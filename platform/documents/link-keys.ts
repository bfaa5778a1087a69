/** Keys of links as documents: each ring is a partition of its own, which no workspace's is. */
import type { LinkKeys } from "../link-keys.ts";
import type { SealKey } from "../sealed-token.ts";
import { type Documents, head, nextHead } from "./documents.ts";

/** `bytes` as base64; of folders that had tables of their own for keys, `hex`. */
export interface KeyDocument {
  readonly id: number;
  readonly bytes?: string;
  readonly hex?: string;
}

export function openLinkKeys(documents: Documents): LinkKeys {
  async function all(ring: string): Promise<SealKey[]> {
    const found = await documents.between(`*${ring}`, "key", { limit: keysMax, descending: true });
    return found.map(({ value }) => value as KeyDocument).map(({ id, bytes, hex = "" }) => {
      return { id, bytes: new Uint8Array(bytes === undefined ? Buffer.from(hex, "hex") : Buffer.from(bytes, "base64")) };
    });
  }
  return {
    all,
    async add(ring, make, { unlessAny }) {
      for (let outcome = "taken"; outcome === "taken";) {
        const [newest] = await all(ring);
        if (unlessAny && newest !== undefined) return;
        const { id, bytes } = make((newest?.id ?? 0) + 1);
        const key = { kind: "key", id: keyId(id) };
        const value: KeyDocument = { id, bytes: Buffer.from(bytes).toString("base64") };
        outcome = await documents.changeIf(`*${ring}`, {
          reads: [head, key],
          plan: ([revision, found]) => found === undefined ? [nextHead(revision), { key, value }] : "taken",
        });
      }
    },
  };
}

/** Sorted as numbers are. */
export function keyId(id: number): string {
  return String(id).padStart(10, "0");
}

/** They are made by hand. */
const keysMax = 100_000;
