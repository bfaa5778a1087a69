/** Progress of resolvers and appliers, published to every process that answers reads; and what reads wait for, published to resolvers and appliers. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** May lose what is published, and give it late or twice: it is published again, and a listener keeps the furthest. */
export interface ProgressNotices {
  /** At least one, in one message. */
  publish(notices: readonly ProgressNotice[]): void;
  /** Asks every publisher for the latest of everything: once now, and again whenever it may have been missed. The returned function stops it. */
  listen(listener: (notice: ProgressNotice) => void): () => void;
  /** Calls back when a listener asks for the latest of everything. The returned function stops it. */
  onAsk(listener: () => void): () => void;
}

export type ProgressNotice =
  /** Identity rows of the steps of an intake partition are written up to the one whose checkpoint this is. */
  | { readonly kind: "written"; readonly partition: number; readonly sequence: number }
  /** A lane, as the layout numbers them, can be read as of this message. */
  | { readonly kind: "applied"; readonly lane: number; readonly position: number }
  /** A read waits until this record of an intake partition is decided. */
  | { readonly kind: "awaited"; readonly partition: number; readonly sequence: number }
  /** A read waits until a lane is applied up to this message. */
  | { readonly kind: "laneAwaited"; readonly lane: number; readonly position: number };

export interface ProgressPublisher {
  written(partition: number, sequence: number): void;
  applied(lane: number, position: number): void;
  close(): void;
}

/** Published at once, but what comes within `progressGatherMs` of that together: of each key the furthest. */
export class GatheredNotices {
  readonly #latest = new Map<string, { readonly one: ProgressNotice; readonly place: number }>();
  /** Not published yet. */
  readonly #due = new Set<string>();
  #cancel: (() => void) | undefined;
  readonly #deps: GatheringDeps;

  constructor(deps: GatheringDeps) {
    this.#deps = deps;
  }

  /** False where the key had as much before: an applier that has been replaced may end behind the one that goes on. */
  put(key: string, place: number, one: ProgressNotice): boolean {
    if ((this.#latest.get(key)?.place ?? -1) >= place) return false;
    this.#latest.set(key, { one, place });
    this.#due.add(key);
    if (this.#cancel === undefined) this.#publishDue();
    return true;
  }

  /** The latest of these keys once more. */
  repeat(keys: Iterable<string>): void {
    const all = [...keys].flatMap((key) => this.#latest.get(key)?.one ?? []);
    if (all.length > 0) this.#deps.notices.publish(all);
  }

  repeatAll(): void {
    this.#due.clear();
    this.repeat(this.#latest.keys());
  }

  /** What still waits, at once. */
  flush(): void {
    const keys = [...this.#due];
    this.#due.clear();
    this.repeat(keys);
  }

  close(): void {
    this.#cancel?.();
  }

  #publishDue(): void {
    this.#cancel = undefined;
    if (this.#due.size === 0) return;
    this.#cancel = this.#deps.clock.after(limits.progressGatherMs, () => this.#publishDue());
    this.flush();
  }
}

interface GatheringDeps {
  readonly notices: Pick<ProgressNotices, "publish">;
  readonly clock: Clock;
}

/** Gathers what changed, and publishes it once more after `progressRepeatMs`. The latest of everything when a listener asks. */
export function createProgressPublisher(
  { notices, clock }: { readonly notices: ProgressNotices; readonly clock: Clock },
): ProgressPublisher {
  const gathered = new GatheredNotices({ notices, clock });
  const changed = new Set<string>();
  let cancel: (() => void) | undefined;
  const stopAnswering = notices.onAsk(() => gathered.repeatAll());

  function repeat(): void {
    cancel = undefined;
    gathered.repeat(changed);
    changed.clear();
  }

  function publish(key: string, place: number, one: ProgressNotice): void {
    if (!gathered.put(key, place, one)) return;
    changed.add(key);
    cancel ??= clock.after(limits.progressRepeatMs, repeat);
  }

  return {
    written: (partition, sequence) => publish(`written ${partition}`, sequence, { kind: "written", partition, sequence }),
    applied: (lane, position) => publish(`applied ${lane}`, position, { kind: "applied", lane, position }),
    close() {
      stopAnswering();
      cancel?.();
      gathered.close();
      gathered.flush();
    },
  };
}
