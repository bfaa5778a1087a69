/** Many calls with only so many of them under way at once. */

/**
 * Runs `call` on every item, at most `max` at a time, and gives the results in the order of the items. After a failure
 * nothing new begins; what is under way is waited for, so that nothing goes on behind the caller's back.
 */
export async function inFlight<Item, Result>(
  items: readonly Item[],
  max: number,
  call: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && failures.length === 0) {
      const at = next;
      next += 1;
      try {
        results[at] = await call(items[at] as Item);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** As Promise.all, but nothing goes on behind who waits for it. */
export async function allDone(all: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  for (const end of await Promise.allSettled(all)) if (end.status === "rejected") throw end.reason;
}
