/** All there is of a list that is read in pages, one of them in memory at a time. */

/** `next` gives what follows an item in the order of the list, or the first page; where that is nothing, those were all. */
export async function* pagesBehind<Item>(next: (last: Item | undefined) => Promise<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  for (let last: Item | undefined;;) {
    const page = await next(last);
    last = page.at(-1);
    if (last === undefined) return;
    yield page;
  }
}
