/**
 * Events of all lanes of a process on their way to a stream: what is published within a moment goes together, as many small batches cost the server and
 * the caller several times what a large one does.
 */
import type { Clock } from "../../../platform/clock.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { limits } from "../../../platform/limits.ts";
import { isPassing } from "../../../platform/faults/passing.ts";

/** As Events' own. `isAwaited`: something else is done only when they are out, so that they go at once, and with them all that wait. */
export type Publish = (events: readonly PublishedEvent[], isAwaited?: boolean) => Promise<void>;

/**
 * As `publish`, for callers that each wait for their last call before the next one: the first waits `eventsLingerMs` for others. What fails for a reason that
 * does not pass comes from one of the calls, so each is published by itself then, and only that one fails.
 */
export function lingering(publish: Publish, clock: Clock): Publish {
  let waiting: Call[] = [];
  let cancel: (() => void) | undefined;

  async function publishWaiting(): Promise<void> {
    cancel?.();
    const calls = waiting;
    waiting = [];
    try {
      await publish(calls.flatMap(({ events }) => events));
      for (const { resolve } of calls) resolve();
    } catch (error) {
      const isOnes = calls.length > 1 && !isPassing(error);
      for (const { events, resolve, reject } of calls) {
        if (isOnes) publish(events).then(resolve, reject);
        else reject(error);
      }
    }
  }

  return (events, isAwaited = false) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ events, resolve, reject });
    if (isAwaited) void publishWaiting();
    else if (waiting.length === 1) cancel = clock.after(limits.eventsLingerMs, () => void publishWaiting());
    return promise;
  };
}

interface Call {
  readonly events: readonly PublishedEvent[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}
