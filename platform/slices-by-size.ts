/** What is written or worked on at once is bounded, in items and in bytes. */

/** The items in order, in slices of at most `max` items and `bytesMax`, or of one item that is larger. */
export function slicesBySize<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  { max = Infinity, bytesMax }: { readonly max?: number; readonly bytesMax: number },
): Item[][] {
  const slices: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    const open = slices.at(-1);
    room -= bytes;
    if (open !== undefined && open.length < max && room >= 0) open.push(item);
    else {
      slices.push([item]);
      room = bytesMax - bytes;
    }
  }
  return slices;
}

/** The items in order, in slices of at most `max`. */
export function slicesOf<Item>(items: readonly Item[], max: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / max) }, (_, at) => items.slice(at * max, (at + 1) * max));
}
