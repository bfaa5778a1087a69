/** Links to people's own pages: nothing of a link is stored but what its key is made of. */
import type { Clock } from "../../../platform/clock.ts";
import { type LinkKeys, openLinkSeal } from "../../../platform/link-keys.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";

/** One page of one person. */
export interface PageLink {
  readonly workspaceId: string;
  readonly centerId: string;
  /** The platform id, which stays when the external id is renamed. */
  readonly userId: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Whether it was sent to the person, or stands in a page that a link opened. */
  readonly kind: "link" | "form";
}

type Named = Omit<PageLink, "expiresAt" | "kind">;

export interface PageLinks {
  /** The token of a link, sealed with the workspace's newest key. */
  make(link: Named): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /**
   * A token that opens the same page for some hours and never longer than the link, for whatever in the page can be read by its scripts. It
   * is the same one for some time, so that uses of a link by way of it stay few.
   */
  makeForm(link: Named & Pick<PageLink, "expiresAt">): Promise<string>;
  /** Refuses NOT_FOUND for a token that is none of ours, whatever is wrong with it, and for one that has expired. */
  open(token: string): Promise<PageLink>;
  /** Makes a new key for links from now on, and gives its number. Older links stay good until they expire. */
  rotate(): Promise<number>;
}

const purpose = "heddle preference page 1";
const formPurpose = "heddle preference form 1";

export function openPageLinks({ keys, clock, lifeMs }: { keys: LinkKeys; clock: Clock; lifeMs: number }): PageLinks {
  const links = openLinkSeal(keys, purpose);
  const forms = openLinkSeal(keys, formPurpose, { steady: true });
  async function opened(token: string) {
    const link = await links.open(token);
    if (link) return { ...link, kind: "link" } as const;
    const form = await forms.open(token);
    return form && { ...form, kind: "form" } as const;
  }
  return {
    async make({ workspaceId, centerId, userId }) {
      const expiresAt = clock.now() + lifeMs;
      return { token: await links.seal(workspaceId, [centerId, userId, expiresAt]), expiresAt };
    },
    async makeForm({ workspaceId, centerId, userId, expiresAt }) {
      const step = limits.pageFormStepMs;
      const formExpiresAt = Math.ceil((clock.now() + limits.pageFormLifeMs) / step) * step;
      return await forms.seal(workspaceId, [centerId, userId, Math.min(expiresAt, formExpiresAt)]);
    },
    async open(token) {
      const link = await opened(token);
      if (link === undefined) throw new Refusal("NOT_FOUND", "This link is not valid");
      const [centerId, userId, expiresAt] = link.values as [string, string, number];
      if (clock.now() >= expiresAt) throw new Refusal("NOT_FOUND", "This link has expired");
      return { workspaceId: link.workspaceId, centerId, userId, expiresAt, kind: link.kind };
    },
    rotate: links.rotate,
  };
}
