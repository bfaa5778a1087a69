/** What this process has appended and is not applied yet: a workspace that sends more than can be applied waits, and is refused BEHIND at last. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { repeatedly } from "../../../platform/repeatedly.ts";
import type { Applied, Position } from "../domain/ports.ts";
import { createCatchUp } from "./catching-up.ts";
import { UnappliedWindow } from "./unapplied-window.ts";

export interface Unapplied {
  /**
   * Appends a request of so many bytes: at once while the workspace has no more waiting than its share of what is applied in
   * `unappliedMsAim` (longer where one request alone takes long), or nothing; else in its turn. Refuses BEHIND, certainly not
   * appended, where the line is full or the turn does not come within `turnMsMax`. Where it is not known how far the log is
   * applied no request waits.
   */
  inTurn<Written extends Placed>(workspaceId: string, bytes: number, append: () => Promise<Written>): Promise<Written>;
}

interface Placed {
  readonly position: Position;
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
interface Sender {
  readonly workspaceId: string;
  /** On the way into the log, or there and not applied. */
  bytes: number;
  /** Its line: requests that are not appended yet. */
  readonly waiting: Set<WaitingRequest>;
  waitingBytes: number;
}

interface WaitingRequest {
  readonly bytes: number;
  readonly since: number;
  /** How far the log was applied when it was last looked at. */
  through: number;
  readonly cancel: () => void;
  /** Undefined: it is not known any more how far the log is applied. */
  readonly admit: (sender: Sender | undefined) => void;
  readonly refuse: (refusal: Refusal) => void;
}

interface Appended {
  readonly sequence: number;
  readonly bytes: number;
  readonly sender: Sender;
}

/** All that wait in the process: others need room there, too. */
type Together = { requests: number; bytes: number };

class UnappliedOf {
  readonly #deps: UnappliedDeps & { readonly together: Together };
  readonly #place: Position;
  readonly #catchUp: ReturnType<typeof createCatchUp>;
  readonly #window: UnappliedWindow;
  readonly #senders = new Map<string, Sender>();
  /** The senders with a line. */
  readonly #lines = new Set<Sender>();
  /** In the order of the log; those before `#first` are applied. */
  #appended: Appended[] = [];
  #first = 0;
  /** How far the log was applied at the last look. */
  #through = 0;
  #lookAloneIn = 0;
  /** The loop that admits what waits; another one after everything was forgotten. */
  #pump: object | undefined;

  constructor(partition: number, deps: UnappliedDeps & { readonly together: Together }) {
    this.#deps = deps;
    this.#place = { partition, sequence: 0 };
    this.#catchUp = createCatchUp(deps.clock);
    this.#window = new UnappliedWindow(deps.clock);
  }

  async inTurn<Written extends Placed>(workspaceId: string, bytes: number, append: () => Promise<Written>): Promise<Written> {
    const { applied, clock } = this.#deps;
    this.#look();
    const known = this.#catchUp.isDone(this.#through) ? this.#senderOf(workspaceId) : undefined;
    const sender = known === undefined || this.#enters(known, bytes) ? known : await this.#wait(known, bytes);
    const aloneSince = this.#isAlone(sender, bytes) ? clock.monotonic() : undefined;
    let sequence: number | undefined;
    try {
      const written = await append();
      sequence = written.position.sequence;
      if (aloneSince !== undefined) void this.#window.tookAlone(aloneSince, applied.wait(written.position, limits.unappliedMsMax));
      return written;
    } finally {
      this.#ended(sender, bytes, sequence);
    }
  }

  /** What is applied counts no more. */
  #look(): void {
    this.#through = this.#deps.applied.through(this.#place);
    for (let next = this.#oldest(); next !== undefined && next.sequence <= this.#through; next = this.#oldest()) {
      this.#first += 1;
      this.#window.applied(next.bytes);
      this.#release(next.sender, next.bytes);
    }
    if (this.#first < limits.unappliedForgetAt) return;
    this.#appended = this.#appended.slice(this.#first);
    this.#first = 0;
  }

  #oldest(): Appended | undefined {
    return this.#appended[this.#first];
  }

  #release(sender: Sender, bytes: number): void {
    sender.bytes -= bytes;
    if (sender.bytes === 0 && sender.waiting.size === 0) this.#senders.delete(sender.workspaceId);
  }

  #senderOf(workspaceId: string): Sender {
    const found = this.#senders.get(workspaceId);
    if (found !== undefined) return found;
    const sender: Sender = { workspaceId, bytes: 0, waiting: new Set(), waitingBytes: 0 };
    this.#senders.set(workspaceId, sender);
    return sender;
  }

  /** False where it has to wait. */
  #enters(sender: Sender, bytes: number): boolean {
    if (sender.waiting.size > 0 || !this.#isTurnOf(sender, bytes)) return false;
    sender.bytes += bytes;
    return true;
  }

  /** Whose turn it is: of each sender with nothing in the log that is not applied, or with no more than its share. */
  #isTurnOf({ bytes }: Sender, more: number): boolean {
    return bytes === 0 || bytes + more <= this.#share();
  }

  #share(): number {
    return this.#window.bytes / Math.max(1, this.#senders.size);
  }

  #wait(sender: Sender, bytes: number): Promise<Sender | undefined> {
    if (!this.#hasRoom(sender, bytes)) throw this.#refusal(sender);
    return new Promise((admit, refuse) => {
      const { clock, together } = this.#deps;
      const cancel = repeatedly(clock, limits.turnLookMs, () => this.#lookAt(sender, request));
      const request: WaitingRequest = { bytes, since: clock.monotonic(), through: this.#through, cancel, admit, refuse };
      sender.waiting.add(request);
      sender.waitingBytes += bytes;
      together.requests += 1;
      together.bytes += bytes;
      this.#lines.add(sender);
      void this.#admitAsApplied();
    });
  }

  #hasRoom({ waiting, waitingBytes }: Sender, bytes: number): boolean {
    const { together } = this.#deps;
    if (together.requests >= limits.turnTogetherRequestsMax || together.bytes + bytes > limits.turnTogetherBytesMax) return false;
    return waiting.size === 0 || (waiting.size < limits.turnRequestsMax && waitingBytes + bytes <= limits.turnBytesMax);
  }

  /** Seconds until what the workspace has waiting is applied, or as long as it has waited in vain for the oldest of it. */
  #refusal({ bytes, waitingBytes }: Sender): Refusal {
    const ownMs = ((bytes + waitingBytes) / this.#share()) * this.#window.aimMs;
    const seconds = Math.ceil(Math.max(ownMs, this.#window.stillMs) / 1_000);
    return new Refusal("BEHIND", undefined, { retryAfterSeconds: Math.max(1, Math.min(seconds, limits.behindRetryAfterSecondsMax)) });
  }

  /** Where nothing at all was applied meanwhile the store may be away: then the room of the log alone bounds what is sent. */
  #lookAt(sender: Sender, request: WaitingRequest): void {
    this.#look();
    if (this.#through === request.through) return this.#forget();
    request.through = this.#through;
    if (this.#deps.clock.monotonic() - request.since < limits.turnMsMax) return;
    request.refuse(this.#refusal(sender));
    this.#leave(sender, request);
    this.#release(sender, 0);
  }

  #leave(sender: Sender, request: WaitingRequest): void {
    const { together } = this.#deps;
    request.cancel();
    sender.waiting.delete(request);
    sender.waitingBytes -= request.bytes;
    together.requests -= 1;
    together.bytes -= request.bytes;
    if (sender.waiting.size === 0) this.#lines.delete(sender);
  }

  #forget(): void {
    this.#catchUp.begin();
    this.#appended = [];
    this.#first = 0;
    this.#senders.clear();
    this.#window.end();
    this.#pump = undefined;
    for (const sender of this.#lines) {
      for (const request of sender.waiting) {
        this.#leave(sender, request);
        request.admit(undefined);
      }
    }
  }

  /** True now and then. */
  #isAlone(sender: Sender | undefined, bytes: number): boolean {
    if (sender?.bytes !== bytes || this.#senders.size > 1) return false;
    this.#lookAloneIn = (this.#lookAloneIn || limits.unappliedAloneEvery) - 1;
    return this.#lookAloneIn === 0;
  }

  #ended(sender: Sender | undefined, bytes: number, sequence: number | undefined): void {
    if (sender === undefined || this.#senders.get(sender.workspaceId) !== sender) {
      if (sequence !== undefined) this.#catchUp.appended(sequence);
      return;
    }
    if (sequence === undefined) this.#release(sender, bytes);
    else this.#appended.push({ sequence, bytes, sender });
    if (this.#lines.size === 0) return;
    this.#admit();
    void this.#admitAsApplied();
  }

  /** Until no request waits. Where nothing is in the log yet, the next append goes on here. */
  async #admitAsApplied(): Promise<void> {
    if (this.#pump !== undefined) return;
    const own = this.#pump = {};
    this.#window.begin();
    for (let oldest = this.#oldest(); oldest !== undefined && this.#lines.size > 0; oldest = this.#oldest()) {
      await this.#deps.applied.wait({ ...this.#place, sequence: oldest.sequence }, limits.turnLookMs);
      if (this.#pump !== own) return;
      this.#admit();
    }
    this.#pump = undefined;
    if (this.#lines.size === 0) this.#window.end();
  }

  #admit(): void {
    this.#look();
    this.#window.measure();
    for (const sender of this.#lines) {
      for (const request of sender.waiting) {
        if (!this.#isTurnOf(sender, request.bytes)) break;
        this.#leave(sender, request);
        sender.bytes += request.bytes;
        request.admit(sender);
      }
    }
  }
}
