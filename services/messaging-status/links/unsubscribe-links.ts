/** One-click unsubscribe links (RFC 8058): nothing of a link is stored but the key that sealed it. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { newSealKey, seal, type SealKey, sealKeyId, unseal } from "../../../platform/sealed-token.ts";

/** What a link takes back: all email of a workspace to an address, or one group. */
export interface UnsubscribeLink {
  readonly workspaceId: string;
  /** Normalised. */
  readonly email: string;
  /** Empty: all email. */
  readonly groupId: string;
}

export interface UnsubscribeLinks {
  /** The token of a link, sealed with the newest key. */
  make(link: UnsubscribeLink): Promise<string>;
  /** Refuses NOT_FOUND for a token that is none of ours, whatever is wrong with it. */
  open(token: string): Promise<UnsubscribeLink>;
  /** Makes a new key for links from now on, and gives its number. Older links stay good: mail lies for years. */
  rotate(): Promise<number>;
}

export interface LinkKeys {
  /** Newest first. */
  all(): Promise<SealKey[]>;
  add(make: (id: number) => SealKey, options: { readonly unlessAny: boolean }): Promise<void>;
}

const purpose = "heddle unsubscribe 1";

export function openUnsubscribeLinks(keys: LinkKeys): UnsubscribeLinks {
  async function newest(): Promise<SealKey> {
    const [key] = await keys.all();
    if (key !== undefined) return key;
    await keys.add(newSealKey, { unlessAny: true });
    return newest();
  }
  return {
    make: async ({ workspaceId, email, groupId }) => seal(await newest(), purpose, JSON.stringify([workspaceId, email, groupId])),
    async open(token) {
      const id = token.length <= limits.linkTokenCharsMax ? sealKeyId(token) : undefined;
      const key = id === undefined ? undefined : (await keys.all()).find((candidate) => candidate.id === id);
      const text = key === undefined ? undefined : unseal(key, purpose, token);
      if (text === undefined) throw new Refusal("NOT_FOUND", "This unsubscribe link is not valid");
      const [workspaceId, email, groupId] = JSON.parse(text) as [string, string, string];
      return { workspaceId, email, groupId };
    },
    async rotate() {
      await keys.add(newSealKey, { unlessAny: false });
      return (await newest()).id;
    },
  };
}
