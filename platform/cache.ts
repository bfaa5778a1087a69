/** What was made or read once and never changes, kept within bounds; the one that was asked for longest ago goes first. */

export interface Cache<Value> {
  get(key: string): Value | undefined;
  /** `size` in the unit of `sizeMax`; what is larger than all may be is not kept. */
  put(key: string, value: Value, size: number): void;
}

export function openCache<Value>({ entriesMax, sizeMax }: { readonly entriesMax: number; readonly sizeMax: number }): Cache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly size: number }>();
  let total = 0;
  function drop(key: string): void {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    put(key, value, size) {
      drop(key);
      if (size > sizeMax) return;
      entries.set(key, { value, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && total <= sizeMax) break;
        drop(oldest);
      }
    },
  };
}
