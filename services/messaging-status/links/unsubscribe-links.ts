/** One-click unsubscribe links (RFC 8058): nothing of a link is stored but what its key is made of. */
import { type LinkKeys, openLinkSeal } from "../../../platform/link-keys.ts";
import { Refusal } from "../../../platform/refusal.ts";

/** What a link takes back: all email of a workspace to an address, or one group. */
interface UnsubscribeLink {
  readonly workspaceId: string;
  /** Normalised. */
  readonly email: string;
  /** Empty: all email. */
  readonly groupId: string;
}

export interface UnsubscribeLinks {
  /** The token of a link, sealed with the workspace's newest key. */
  make(link: UnsubscribeLink): Promise<string>;
  /** Refuses NOT_FOUND for a token that is none of ours, whatever is wrong with it. */
  open(token: string): Promise<UnsubscribeLink>;
  /** Makes a new key for links from now on, and gives its number. Older links stay good: mail lies for years. */
  rotate(): Promise<number>;
}

const purpose = "heddle unsubscribe 1";

export function openUnsubscribeLinks(keys: LinkKeys): UnsubscribeLinks {
  const links = openLinkSeal(keys, purpose);
  return {
    make: ({ workspaceId, email, groupId }) => links.seal(workspaceId, [email, groupId]),
    async open(token) {
      const link = await links.open(token);
      if (link === undefined) throw new Refusal("NOT_FOUND", "This unsubscribe link is not valid");
      const [email, groupId] = link.values as [string, string];
      return { workspaceId: link.workspaceId, email, groupId };
    },
    rotate: links.rotate,
  };
}
