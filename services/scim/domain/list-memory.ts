/** What is remembered between the pages of a list, so that a page never looks through all users again. */
import { limits } from "../../../platform/limits.ts";
import { dropOldest } from "./drop-oldest.ts";
import { openSharedLooks, type SharedLooks } from "./shared-looks.ts";

export interface ListMemory {
  /** The nearest known place at or before `index` in the list of all users; only as long as nothing changed. */
  anchor(list: string, index: number): Anchor | undefined;
  remember(list: string, anchor: Anchor): void;
  /** The ids of a list that had to be looked for. */
  readonly result: SharedLooks["result"];
}

/** `key` is that of the user at `index`, which counts from 1. */
interface Anchor {
  readonly index: number;
  readonly key: string;
}

/** `list` names company, state and question: a change of the company makes another list of it. */
export function openListMemory(): ListMemory {
  const anchors = new Map<string, Anchor>();
  const looks = openSharedLooks();
  return {
    anchor(list, index) {
      let nearest: Anchor | undefined;
      for (const [name, anchor] of anchors) {
        if (!name.startsWith(`${list} `) || anchor.index > index) continue;
        if (nearest === undefined || anchor.index > nearest.index) nearest = anchor;
      }
      return nearest;
    },
    remember(list, anchor) {
      const name = `${list} ${anchor.index}`;
      anchors.delete(name);
      anchors.set(name, anchor);
      dropOldest(anchors, limits.scimAnchorsKeptMax);
    },
    result: looks.result,
  };
}
