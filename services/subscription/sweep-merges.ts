/** Sides of merges that can no longer be undone are forgotten: what a user was before is kept no longer than it is of use. */
import { createBoundedNow } from "../../platform/bounded-now.ts";
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { closeOverMerges } from "./domain/memberships.ts";
import type { MembershipStore } from "./domain/ports.ts";

/** Every `frozenSweepMs`; the returned function stops it. */
export function sweepRegularly(
  store: MembershipStore,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => void {
  const bounded = createBoundedNow(clock);
  bounded.after(0);
  let cancel = clock.after(limits.frozenSweepMs, sweep);
  function sweep(): void {
    const over = bounded.after(0) - limits.frozenGraceMs;
    store.sweep(over, limits.frozenSweepMax, (user) => closeOverMerges(user, over))
      .catch((error: unknown) => logger.error("membership_sweep_failed", error));
    cancel = clock.after(limits.frozenSweepMs, sweep);
  }
  return () => cancel();
}
