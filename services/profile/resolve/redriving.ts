/** What waits of blocked users is tried once more: of all of them, a page at a time. */
import { halved } from "../../../platform/lane/halve.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isMetByAll } from "../../../platform/faults/passing.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import { type Addressed, userOfItem } from "../domain/resolve/lane-item.ts";
import type { ProfileStore } from "../domain/ports.ts";

/** What is tried once more: records of blocked users always. */
export interface Redriven {
  /** Records that are passed over before. */
  readonly skips: readonly Addressed[];
  /** Whether dead letters are tried, too. */
  readonly deadLetters: boolean;
}

export interface RedrivingDeps {
  readonly profiles: Pick<ProfileStore, "allBlocked">;
  readonly owns: (workspaceId: string) => boolean;
  /** Tries some in a step of their own. Doing it again is harmless. */
  readonly work: (items: readonly Addressed[]) => Promise<void>;
  readonly logger: Logger;
}

/** Yields between pages. Throws what all of them would meet; it is begun anew then. */
export async function* redriving(deps: RedrivingDeps, skips: readonly Addressed[]): AsyncGenerator<undefined> {
  let isFirst = true;
  await tryAgain(deps, skips);
  for await (const blocked of deps.profiles.allBlocked()) {
    if (!isFirst) yield;
    isFirst = false;
    await tryAgain(deps, blocked.map(({ workspaceId, userId }) => ({ workspaceId, item: { type: "redrive", userId } })));
  }
}

/** Whom it fails for waits on, also whom a newer build wrote: no request waits for it. */
async function tryAgain({ owns, work, logger }: RedrivingDeps, all: readonly Addressed[]): Promise<void> {
  for (const items of slicesOf(all.filter(({ workspaceId }) => owns(workspaceId)), limits.heldRedrivePage)) {
    await halved(items, {
      work,
      alone: ({ workspaceId, item }, error) => logger.error("user_not_redriven", error, { workspaceId, userId: userOfItem(item) }),
      isThrown: isMetByAll,
    });
  }
}
