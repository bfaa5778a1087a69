/** Links to people's own pages: nothing of a link is stored but what its key is made of. */
import type { Clock } from "../../../platform/clock.ts";
import { type LinkKeys, openLinkSeal } from "../../../platform/link-keys.ts";
import { Refusal } from "../../../platform/refusal.ts";

/** One page of one person. */
interface PageLink {
  readonly workspaceId: string;
  readonly centerId: string;
  /** The platform id, which stays when the external id is renamed. */
  readonly userId: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface PageLinks {
  /** The token of a link, sealed with the workspace's newest key. */
  make(link: Omit<PageLink, "expiresAt">): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** Refuses NOT_FOUND for a token that is none of ours, whatever is wrong with it, and for one that has expired. */
  open(token: string): Promise<PageLink>;
  /** Makes a new key for links from now on, and gives its number. Older links stay good until they expire. */
  rotate(): Promise<number>;
}

const purpose = "heddle preference page 1";

export function openPageLinks({ keys, clock, lifeMs }: { keys: LinkKeys; clock: Clock; lifeMs: number }): PageLinks {
  const links = openLinkSeal(keys, purpose);
  return {
    async make({ workspaceId, centerId, userId }) {
      const expiresAt = clock.now() + lifeMs;
      return { token: await links.seal(workspaceId, [centerId, userId, expiresAt]), expiresAt };
    },
    async open(token) {
      const link = await links.open(token);
      if (link === undefined) throw new Refusal("NOT_FOUND", "This link is not valid");
      const [centerId, userId, expiresAt] = link.values as [string, string, number];
      if (clock.now() >= expiresAt) throw new Refusal("NOT_FOUND", "This link has expired");
      return { workspaceId: link.workspaceId, centerId, userId, expiresAt };
    },
    rotate: links.rotate,
  };
}
