/**
 * How many requests are answered at a time. Those of links, which need no key, have a part of the slots, and what the gateway says of itself takes
 * none: whoever fills those, with bodies that do not come, leaves the rest to holders of keys.
 */
import { limits } from "../../platform/limits.ts";

export type SlotOf = "key" | "link";

export class RequestSlots {
  #all = 0;
  #links = 0;

  /** False where there is none. */
  take(of: SlotOf): boolean {
    if (this.#all >= limits.requestsInFlightMax || (of === "link" && this.#links >= limits.linkRequestsInFlightMax)) return false;
    this.#all += 1;
    if (of === "link") this.#links += 1;
    return true;
  }

  leave(of: SlotOf): void {
    this.#all -= 1;
    if (of === "link") this.#links -= 1;
  }
}
