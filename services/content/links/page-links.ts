/** Links to people's own pages: nothing of a link is stored but the key that sealed it. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { newSealKey, seal, type SealKey, sealKeyId, unseal } from "../../../platform/sealed-token.ts";

/** One page of one person. */
export interface PageLink {
  readonly workspaceId: string;
  readonly centerId: string;
  /** The platform id, which stays when the external id is renamed. */
  readonly userId: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface PageLinks {
  /** The token of a link, sealed with the newest key. */
  make(link: Omit<PageLink, "expiresAt">): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** Refuses NOT_FOUND for a token that is none of ours, whatever is wrong with it, and for one that has expired. */
  open(token: string): Promise<PageLink>;
  /** Makes a new key for links from now on, and gives its number. Older links stay good until they expire. */
  rotate(): Promise<number>;
}

export interface LinkKeys {
  /** Newest first. */
  all(): Promise<SealKey[]>;
  /** Adds the key that `make` gives for the next number; with `unlessAny` only where there is none. */
  add(make: (id: number) => SealKey, options: { readonly unlessAny: boolean }): Promise<void>;
}

const purpose = "heddle preference page 1";

export function openPageLinks({ keys, clock, lifeMs }: { keys: LinkKeys; clock: Clock; lifeMs: number }): PageLinks {
  async function newest(): Promise<SealKey> {
    const [key] = await keys.all();
    if (key !== undefined) return key;
    await keys.add(newSealKey, { unlessAny: true });
    return newest();
  }
  // A key never changes and never goes, so those that were seen need not be read for each page
  const known = new Map<number, SealKey>();
  async function keyOf(id: number): Promise<SealKey | undefined> {
    if (!known.has(id)) { for (const key of await keys.all()) known.set(key.id, key); }
    return known.get(id);
  }
  return {
    async make({ workspaceId, centerId, userId }) {
      const expiresAt = clock.now() + lifeMs;
      return { token: seal(await newest(), purpose, JSON.stringify([workspaceId, centerId, userId, expiresAt])), expiresAt };
    },
    async open(token) {
      const id = token.length <= limits.linkTokenCharsMax ? sealKeyId(token) : undefined;
      const key = id === undefined ? undefined : await keyOf(id);
      const text = key === undefined ? undefined : unseal(key, purpose, token);
      if (text === undefined) throw new Refusal("NOT_FOUND", "This link is not valid");
      const [workspaceId, centerId, userId, expiresAt] = JSON.parse(text) as [string, string, string, number];
      if (clock.now() >= expiresAt) throw new Refusal("NOT_FOUND", "This link has expired");
      return { workspaceId, centerId, userId, expiresAt };
    },
    async rotate() {
      await keys.add(newSealKey, { unlessAny: false });
      return (await newest()).id;
    },
  };
}
