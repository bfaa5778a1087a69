/** Events on their way out: in their order, those that wait together in one go, and none forgotten without a word. */
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { type Logger, silentLogger } from "../../../platform/logger.ts";
import type { Publish } from "./lingering.ts";

export interface Outgoing {
  /** How many wait. */
  readonly waiting: number;
  /** Resolves when these and all before them are kept; rejects once one could not be, as does everything after it until `reset`. */
  readonly send: Publish;
  /** As `send` of nothing. */
  settled(): Promise<void>;
  /** Forgets what waits: the caller passes all of it to `send` again. */
  reset(): void;
}

/** An event that the stream does not take, for a reason that does not pass, is passed over with an error in the log: others go on. */
export function createOutgoing(publish: Publish, logger: Logger = silentLogger): Outgoing {
  let chain = newChain();

  async function flush(of: Chain): Promise<void> {
    const { waiting: all, isAwaited } = of;
    of.waiting = [];
    of.isAwaited = false;
    if (all.length === 0) return;
    await halved(all, {
      work: (some) => publish(some, isAwaited),
      alone: ({ subject, scope, eventId }, error) => logger.error("event_not_published", error, { subject, scope, eventId }),
    });
  }

  return {
    get waiting() {
      return chain.waiting.length;
    },
    send(events, isAwaited = false) {
      const own = chain;
      own.isAwaited ||= isAwaited;
      own.waiting.push(...events);
      own.last = own.last.then(() => flush(own));
      own.last.catch(() => {});
      return own.last;
    },
    settled: () => chain.last,
    reset() {
      // What the old chain has under way goes on, and takes nothing of what comes now: nobody waits for that chain any more
      chain.waiting = [];
      chain = newChain();
    },
  };
}

interface Chain {
  waiting: PublishedEvent[];
  /** Of one that waits. */
  isAwaited: boolean;
  last: Promise<void>;
}

function newChain(): Chain {
  return { waiting: [], isAwaited: false, last: Promise.resolve() };
}
