/** Keys of links between two sides of a move: links that were sent stay good, and one workspace takes along what makes links of it alone. */
import { bringKeys, type LinkKeys, rootRing, sharedRing, workspaceKeys } from "../../../platform/link-keys.ts";
import type { MoveChoice } from "./move-choice.ts";
import { CommandError } from "../../shell/output.ts";

export interface LinksMoved {
  /** In words. */
  readonly what: string;
  /** Whose setting names the keyspace. */
  readonly keyspace: string;
}

/** Keys keep their numbers, which links name. Answers with what was left out, in words. */
export async function copyLinkKeys(
  { from, to }: { readonly from: LinkKeys; readonly to: LinkKeys },
  { whole, sharedLinkKeys, workspaceIds }: Pick<MoveChoice, "whole" | "sharedLinkKeys" | "workspaceIds">,
  moved: LinksMoved,
): Promise<string[]> {
  const rings = whole ? [sharedRing, rootRing] : sharedLinkKeys ? [sharedRing] : [];
  for (const ring of rings) await copyRing({ from, to, ring }, moved);
  for (const id of workspaceIds) {
    // Where all roots come along those of the workspace need not, but it may have brought some
    await bringKeys(to, id, await workspaceKeys(whole ? { ...from, all: (ring) => notRoots(from, ring) } : from, id));
  }
  if (rings.length > 0 || (await from.all(sharedRing)).length === 0) return [];
  return [
    `the keys of ${moved.what} that were made before each workspace had keys of its own, which are those of all workspaces. ` +
    "Such links will not open there; --shared-link-keys takes them along",
  ];
}

async function notRoots(from: LinkKeys, ring: string) {
  return ring === rootRing ? [] : await from.all(ring);
}

async function copyRing(
  { from, to, ring }: { readonly from: LinkKeys; readonly to: LinkKeys; readonly ring: string },
  { what, keyspace }: LinksMoved,
): Promise<void> {
  const there = (await to.all(ring)).toReversed();
  for (const [at, key] of (await from.all(ring)).toReversed().entries()) {
    const known = there[at];
    if (known === undefined) await to.add(ring, () => key, { unlessAny: false });
    else if (known.id !== key.id || !Buffer.from(known.bytes).equals(key.bytes)) {
      throw new CommandError(`There are other keys of ${what} already: name another ${keyspace}`);
    }
  }
}
