/** How much may be in the log and not applied: as much as is applied in a while, by the rate that was seen lately. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";

export class UnappliedWindow {
  /** Of all workspaces together. */
  bytes: number = limits.unappliedBytesMin;
  readonly #clock: Clock;
  #aloneMs = 0;
  /** Since when the rate is measured, and what was applied since. */
  #measured: { readonly since: number; bytes: number } | undefined;
  #movedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In how much time what is in the window is to be applied. */
  get aimMs(): number {
    return Math.min(limits.unappliedMsMax, Math.max(limits.unappliedMsAim, limits.unappliedAloneTimes * this.#aloneMs));
  }

  /** For how long nothing was applied. */
  get stillMs(): number {
    return this.#clock.monotonic() - this.#movedAt;
  }

  /** A request that came at `since`, while nothing else waited. */
  async tookAlone(since: number, applied: Promise<unknown>): Promise<void> {
    await applied;
    const ms = this.#clock.monotonic() - since;
    this.#aloneMs = this.#aloneMs === 0 ? ms : this.#aloneMs + (ms - this.#aloneMs) * weightOfLatest;
  }

  /** Only while a request waits: else the rate is that of the senders. */
  begin(): void {
    if (this.#measured !== undefined) return;
    this.#movedAt = this.#clock.monotonic();
    this.#measured = { since: this.#movedAt, bytes: 0 };
  }

  end(): void {
    this.#measured = undefined;
  }

  applied(bytes: number): void {
    if (this.#measured !== undefined) this.#measured.bytes += bytes;
  }

  measure(): void {
    if (this.#measured === undefined) return;
    const now = this.#clock.monotonic();
    const { since, bytes } = this.#measured;
    if (bytes > 0) this.#movedAt = now;
    if (now - since < limits.unappliedMeasureMs) return;
    const aim = (bytes / (now - since)) * this.aimMs;
    const wanted = Math.min(limits.unappliedBytesMax, Math.max(limits.unappliedBytesMin, aim));
    this.bytes += (wanted - this.bytes) * weightOfLatest;
    this.#measured = { since: now, bytes: 0 };
  }
}

const weightOfLatest = 0.3;
