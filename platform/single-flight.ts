/** One question for all callers that ask it at the same time: one that comes while it is under way waits for the next, and shares that. */

/**
 * Gives a function that asks `ask(key)`. Every caller gets an answer to a question that was put after the call, so it
 * is as fresh as one of its own; at most one question a key is under way and one waits.
 */
export function singleFlight<K, A>(ask: (key: K) => Promise<A>): (key: K) => Promise<A> {
  const lines = new Map<K, { next: Promise<A> | undefined; current: Promise<unknown> }>();
  return (key) => {
    const line = lines.get(key);
    if (line === undefined) return begin(key);
    line.next ??= line.current.then(() => begin(key));
    return line.next;
  };

  function begin(key: K): Promise<A> {
    const answer = ask(key);
    const line = { next: undefined, current: answer.catch(() => {}).finally(() => end(key)) };
    lines.set(key, line);
    return answer;
  }
  function end(key: K): void {
    if (lines.get(key)?.next === undefined) lines.delete(key);
  }
}
