/**
 * The rows of a part. They are neither read nor written until a look has found that they are still those that it worked on: they may be
 * put back from an older copy while the nodes that have them are away.
 */
import type { Session, WatchedSession } from "../cassandra/session.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { Epoch } from "../log/epoch.ts";
import { openEpochWatermarks } from "./watermarks.ts";

/** What is said beside the rows. */
export interface FoundRows {
  readonly epoch: Epoch | undefined;
  readonly reached: ReadonlyMap<string, number>;
  /** On the monotonic time: not later than it was true. */
  readonly at: number;
  /** How often a node had come or gone before. */
  readonly changes: number;
  /** The watermarks that the part had seen before. */
  readonly seen: ReadonlyMap<string, number>;
}

interface WatchedRowsOptions {
  readonly session: WatchedSession;
  readonly logName: string;
  readonly clock: Clock;
  /** The watermarks that the part has seen, which its rows do not fall behind. */
  readonly seen: () => ReadonlyMap<string, number>;
  /** Learns how far rows were from what others keep in the log; never rejects. */
  readonly learn: () => Promise<void>;
  /** Whether they are those that the part worked on. Refuses EPOCH_MISMATCH once they were found not to be. */
  readonly judge: (found: FoundRows) => boolean;
  /** They are not: looks at everything, to say what does not fit. */
  readonly onOthers: () => Promise<void>;
  readonly onNodeChange: () => void;
}

export class WatchedRows {
  /** That of the options. The last moment counts: whatever a caller waited for, its statement goes only to rows looked at since a change. */
  readonly session: Session;
  readonly #options: WatchedRowsOptions;
  readonly #stop: () => void;
  /** Before the first look nothing is known. */
  #changes = 1;
  #changesSeen = 0;
  #seenAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: WatchedRowsOptions) {
    this.#options = options;
    this.#stop = options.session.onNodeChange(() => {
      this.#changes += 1;
      options.onNodeChange();
    });
    const { session } = options;
    this.session = {
      execute: (statement) => this.#sure(() => session.execute(statement)),
      batch: (statements) => this.#sure(() => session.batch(statements)),
      conditional: (statements) => this.#sure(() => session.conditional(statements)),
      page: (statement, options) => this.#sure(() => session.page(statement, options)),
      close: () => session.close(),
    };
  }

  /** Undefined while Cassandra does not answer. */
  async read(): Promise<FoundRows | undefined> {
    const changes = this.#changes;
    const watermarks = openEpochWatermarks(this.#options.session, this.#options.logName);
    try {
      if (this.#changesSeen !== changes) {
        // A store that is away costs no caller more than this read
        await watermarks.epoch();
        await this.#options.learn();
      }
      const seen = new Map(this.#options.seen());
      const at = this.#options.clock.monotonic();
      const [epoch, reached] = await Promise.all([watermarks.epoch(), watermarks.reached()]);
      return { epoch, reached, at, changes, seen };
    } catch {
      return undefined;
    }
  }

  /** The part has learnt what the last look did not ask about. */
  doubt(): void {
    this.#changes += 1;
  }

  /** They are those that the part worked on. */
  saw({ at, changes }: FoundRows): void {
    this.#changesSeen = Math.max(changes, this.#changesSeen);
    this.#seenAt = Math.max(at, this.#seenAt);
  }

  /**
   * Rows that were put back must not get a watermark of before: from then on it could not be noticed. So they are looked at within the last half
   * second, as a store may be emptied and filled while it runs. Refuses as `session` does.
   */
  async checkLately(): Promise<void> {
    if (this.#options.clock.monotonic() - this.#seenAt >= limits.epochRowsTrustMs) await this.look();
  }

  close(): void {
    this.#stop();
  }

  #sure<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#changesSeen === this.#changes ? call() : this.#lookUntilSure().then(call);
  }

  /** A look that began before a node came or went says nothing of what is there now. */
  async #lookUntilSure(): Promise<void> {
    while (this.#changesSeen !== this.#changes) await this.look();
  }

  /** Reads and judges what is said beside them. Refuses as `session` does. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** The log may be away: then what the part has seen itself has to do. */
  async #lookOnce(): Promise<void> {
    const found = await this.read();
    if (found !== undefined) {
      if (this.#options.judge(found)) return this.saw(found);
      await this.#options.onOthers();
    }
    throw new Refusal("STORE_UNAVAILABLE", "How far the rows are cannot be read", { retryAfterSeconds: 1 });
  }
}
