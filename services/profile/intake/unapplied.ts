/** What this process has appended and is not applied yet: a workspace that sends more than can be applied waits, and is refused BEHIND at last. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Applied, Position } from "../domain/ports.ts";
import { createCatchUp } from "./catching-up.ts";

export interface Unapplied {
  /**
   * Appends a request of so many bytes: at once while the workspace has no more waiting than its share of what is applied in
   * `unappliedMsAim` (longer where one request alone takes long), or nothing; else in its turn. Refuses BEHIND, certainly not
   * appended, where the line is full or the turn does not come within `heldMsMax`. Where it is not known how far the log is
   * applied no request waits.
   */
  inTurn<Written extends { readonly position: Position }>(
    workspaceId: string,
    bytes: number,
    append: () => Promise<Written>,
  ): Promise<Written>;
}

export interface UnappliedDeps {
  readonly partitions: number;
  readonly applied: Pick<Applied, "wait" | "through">;
  readonly clock: Clock;
}

export function createUnapplied(deps: UnappliedDeps): Unapplied {
  const together = { requests: 0, bytes: 0 };
  const all = Array.from({ length: deps.partitions }, (_, partition) => new UnappliedOf(partition, { ...deps, together }));
  return {
    inTurn(workspaceId, bytes, append) {
      const partition = all[partitionOf(workspaceId, deps.partitions)];
      if (partition === undefined) throw new Error("Expected at least one partition");
      return partition.inTurn(workspaceId, bytes + limits.unappliedRecordBytes, append);
    },
  };
}

/** A workspace with something that waits to be applied, or to be appended. */
interface Waiting {
  readonly workspaceId: string;
  /** On the way into the log, or there and not applied. */
  bytes: number;
  heldBytes: number;
  readonly held: Held[];
}

interface Held {
  readonly bytes: number;
  readonly since: number;
  /** How far the log was applied when it was last looked at. */
  through: number;
  cancel: () => void;
  /** Undefined: it is not known any more how far the log is applied. */
  readonly letGo: (waiting: Waiting | undefined) => void;
  readonly refuse: (refusal: Refusal) => void;
}

interface Appended {
  readonly sequence: number;
  readonly bytes: number;
  readonly waiting: Waiting;
}

/** All that is held in the process: others need room there, too. */
type Together = { requests: number; bytes: number };

class UnappliedOf {
  readonly #deps: UnappliedDeps & { readonly together: Together };
  readonly #place: Position;
  readonly #catchUp: ReturnType<typeof createCatchUp>;
  readonly #workspaces = new Map<string, Waiting>();
  readonly #lines = new Set<Waiting>();
  /** In the order of the log; those before `#first` are applied. */
  #appended: Appended[] = [];
  #first = 0;
  #window: number = limits.unappliedBytesMin;
  /** What one request takes, from when it comes until it is applied, while nothing else waits. */
  #aloneMs = 0;
  #lookAloneIn = 0;
  /** Since when the rate is measured, and what was applied since. */
  #measured: { readonly since: number; bytes: number } | undefined;
  #movedAt = 0;
  /** The loop that lets go what is held; another one after everything was forgotten. */
  #pump: object | undefined;

  constructor(partition: number, deps: UnappliedDeps & { readonly together: Together }) {
    this.#deps = deps;
    this.#place = { partition, sequence: 0 };
    this.#catchUp = createCatchUp(deps.clock);
  }

  async inTurn<Written extends { readonly position: Position }>(
    workspaceId: string,
    bytes: number,
    append: () => Promise<Written>,
  ): Promise<Written> {
    const through = this.#look();
    const isKnown = this.#catchUp.isDone(through);
    const waiting = isKnown ? this.#enter(workspaceId, bytes) ?? await this.#hold(workspaceId, bytes, through) : undefined;
    const aloneSince = this.#isAlone(waiting, bytes) ? this.#deps.clock.monotonic() : undefined;
    let sequence: number | undefined;
    try {
      const written = await append();
      sequence = written.position.sequence;
      if (aloneSince !== undefined) void this.#measureAlone(written.position, aloneSince);
      return written;
    } finally {
      this.#ended(waiting, bytes, sequence);
    }
  }

  /** True now and then. */
  #isAlone(waiting: Waiting | undefined, bytes: number): boolean {
    if (waiting?.bytes !== bytes || this.#workspaces.size > 1) return false;
    this.#lookAloneIn = (this.#lookAloneIn || limits.unappliedAloneEvery) - 1;
    return this.#lookAloneIn === 0;
  }

  async #measureAlone(position: Position, since: number): Promise<void> {
    const { applied, clock } = this.#deps;
    await applied.wait(position, limits.unappliedMsMax);
    const ms = clock.monotonic() - since;
    this.#aloneMs = this.#aloneMs === 0 ? ms : this.#aloneMs + (ms - this.#aloneMs) * weightOfLatest;
  }

  get #aimMs(): number {
    return Math.min(limits.unappliedMsMax, Math.max(limits.unappliedMsAim, limits.unappliedAloneTimes * this.#aloneMs));
  }

  /** What is applied counts no more. Gives how far the log is applied. */
  #look(): number {
    const through = this.#deps.applied.through(this.#place);
    for (let next = this.#appended[this.#first]; next !== undefined && next.sequence <= through; next = this.#appended[this.#first]) {
      this.#first += 1;
      if (this.#measured !== undefined) this.#measured.bytes += next.bytes;
      this.#release(next.waiting, next.bytes);
    }
    if (this.#first >= limits.unappliedForgetAt) {
      this.#appended = this.#appended.slice(this.#first);
      this.#first = 0;
    }
    return through;
  }

  #release(waiting: Waiting, bytes: number): void {
    waiting.bytes -= bytes;
    if (waiting.bytes === 0 && waiting.held.length === 0) this.#workspaces.delete(waiting.workspaceId);
  }

  /** Undefined where it has to wait. */
  #enter(workspaceId: string, bytes: number): Waiting | undefined {
    const found = this.#workspaces.get(workspaceId);
    if (found === undefined) {
      const waiting = { workspaceId, bytes, heldBytes: 0, held: [] };
      this.#workspaces.set(workspaceId, waiting);
      return waiting;
    }
    if (found.held.length > 0 || found.bytes + bytes > this.#share()) return undefined;
    found.bytes += bytes;
    return found;
  }

  #share(): number {
    return this.#window / Math.max(1, this.#workspaces.size);
  }

  #hold(workspaceId: string, bytes: number, through: number): Promise<Waiting | undefined> {
    const waiting = this.#workspaces.get(workspaceId);
    if (waiting === undefined) throw new Error("Expected somebody who waits already");
    if (!this.#hasRoom(waiting, bytes)) throw this.#refusal(waiting);
    return new Promise((letGo, refuse) => {
      const held: Held = { bytes, since: this.#deps.clock.monotonic(), through, cancel: () => {}, letGo, refuse };
      this.#lookAgain(waiting, held);
      waiting.held.push(held);
      this.#count(waiting, 1, bytes);
      this.#lines.add(waiting);
      void this.#letGoAsApplied();
    });
  }

  #hasRoom({ held, heldBytes }: Waiting, bytes: number): boolean {
    const { together } = this.#deps;
    if (together.requests >= limits.heldTogetherRequestsMax || together.bytes + bytes > limits.heldTogetherBytesMax) return false;
    return held.length === 0 || (held.length < limits.heldRequestsMax && heldBytes + bytes <= limits.heldBytesMax);
  }

  #count(waiting: Waiting, requests: 1 | -1, bytes: number): void {
    const { together } = this.#deps;
    waiting.heldBytes += requests * bytes;
    together.requests += requests;
    together.bytes += requests * bytes;
  }

  #lookAgain(waiting: Waiting, held: Held): void {
    held.cancel = this.#deps.clock.after(limits.heldLookMs, () => this.#isOver(waiting, held));
  }

  /** Where nothing at all was applied meanwhile the store may be away: then the room of the log alone bounds what is sent. */
  #isOver(waiting: Waiting, held: Held): void {
    const through = this.#look();
    if (through === held.through) return this.#forget();
    const at = waiting.held.indexOf(held);
    if (at < 0) return;
    held.through = through;
    if (this.#deps.clock.monotonic() - held.since < limits.heldMsMax) return this.#lookAgain(waiting, held);
    held.refuse(this.#refusal(waiting));
    waiting.held.splice(at, 1);
    this.#count(waiting, -1, held.bytes);
    if (waiting.held.length === 0) this.#lines.delete(waiting);
    this.#release(waiting, 0);
  }

  /** Seconds until what the workspace has waiting is applied, or as long as it has waited in vain for the oldest of it. */
  #refusal({ bytes, heldBytes }: Waiting): Refusal {
    const ownMs = ((bytes + heldBytes) / this.#share()) * this.#aimMs;
    const stillMs = this.#deps.clock.monotonic() - this.#movedAt;
    const seconds = Math.ceil(Math.max(ownMs, stillMs) / 1_000);
    return new Refusal("BEHIND", undefined, { retryAfterSeconds: Math.max(1, Math.min(seconds, limits.behindRetryAfterSecondsMax)) });
  }

  #forget(): void {
    const lines = [...this.#lines];
    this.#catchUp.begin();
    this.#appended = [];
    this.#first = 0;
    this.#workspaces.clear();
    this.#lines.clear();
    this.#measured = undefined;
    this.#pump = undefined;
    for (const waiting of lines) {
      for (const { bytes, cancel, letGo } of waiting.held.splice(0)) {
        this.#count(waiting, -1, bytes);
        cancel();
        letGo(undefined);
      }
    }
  }

  #ended(waiting: Waiting | undefined, bytes: number, sequence: number | undefined): void {
    if (waiting === undefined || this.#workspaces.get(waiting.workspaceId) !== waiting) {
      if (sequence !== undefined) this.#catchUp.appended(sequence);
      return;
    }
    if (sequence === undefined) this.#release(waiting, bytes);
    else this.#appended.push({ sequence, bytes, waiting });
    if (this.#lines.size === 0) return;
    this.#look();
    this.#measure(this.#deps.clock.monotonic());
    this.#letGo();
    void this.#letGoAsApplied();
  }

  /** Until no request waits. Where nothing is in the log yet, the next append goes on here. */
  async #letGoAsApplied(): Promise<void> {
    const { applied, clock } = this.#deps;
    if (this.#pump !== undefined) return;
    const own = this.#pump = {};
    if (this.#measured === undefined) {
      this.#movedAt = clock.monotonic();
      this.#measured = { since: this.#movedAt, bytes: 0 };
    }
    for (let oldest = this.#oldest(); oldest !== undefined && this.#lines.size > 0; oldest = this.#oldest()) {
      await applied.wait({ ...this.#place, sequence: oldest.sequence }, limits.heldLookMs);
      if (this.#pump !== own) return;
      this.#look();
      this.#measure(clock.monotonic());
      this.#letGo();
    }
    this.#pump = undefined;
    if (this.#lines.size === 0) this.#measured = undefined;
  }

  #oldest(): Appended | undefined {
    return this.#appended[this.#first];
  }

  /** Only while a request waits: else the rate is that of the senders. */
  #measure(now: number): void {
    if (this.#measured === undefined) return;
    const { since, bytes } = this.#measured;
    if (bytes > 0) this.#movedAt = now;
    if (now - since < limits.unappliedMeasureMs) return;
    const aim = (bytes / (now - since)) * this.#aimMs;
    const wanted = Math.min(limits.unappliedBytesMax, Math.max(limits.unappliedBytesMin, aim));
    this.#window += (wanted - this.#window) * weightOfLatest;
    this.#measured = { since: now, bytes: 0 };
  }

  #letGo(): void {
    for (const waiting of this.#lines) {
      const share = this.#share();
      for (let [next] = waiting.held; next !== undefined; [next] = waiting.held) {
        if (waiting.bytes > 0 && waiting.bytes + next.bytes > share) break;
        waiting.held.shift();
        this.#count(waiting, -1, next.bytes);
        waiting.bytes += next.bytes;
        next.cancel();
        next.letGo(waiting);
      }
      if (waiting.held.length === 0) this.#lines.delete(waiting);
    }
  }
}

const weightOfLatest = 0.3;
