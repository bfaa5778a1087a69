/** Events on their way out: in their order, those that wait together in one go, and none forgotten without a word. */
import type { Events, PublishedEvent } from "../../../platform/events/events.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { type Logger, silentLogger } from "../../../platform/logger.ts";

export interface Outgoing {
  /** How many wait. */
  readonly waiting: number;
  /** Resolves when these and all before them are kept; rejects once one could not be, as does everything after it until `reset`. */
  send(events: readonly PublishedEvent[]): Promise<void>;
  /** As `send` of nothing. */
  settled(): Promise<void>;
  /** Forgets what waits: the caller passes all of it to `send` again. */
  reset(): void;
}

/** An event that the stream does not take, for a reason that does not pass, is passed over with an error in the log: others go on. */
export function createOutgoing(publish: Events["publish"], logger: Logger = silentLogger): Outgoing {
  let chain = newChain();

  async function flush(of: Chain): Promise<void> {
    const all = of.waiting;
    of.waiting = [];
    if (all.length === 0) return;
    await halved(all, {
      work: publish,
      alone: ({ subject, scope, eventId }, error) => logger.error("event_not_published", error, { subject, scope, eventId }),
    });
  }

  return {
    get waiting() {
      return chain.waiting.length;
    },
    send(events) {
      const own = chain;
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
  last: Promise<void>;
}

function newChain(): Chain {
  return { waiting: [], last: Promise.resolve() };
}
