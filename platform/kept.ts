/** What was made or read once and never changes, kept within bounds; the one that was asked for longest ago goes first. */

export interface Kept<Value> {
  get(key: string): Value | undefined;
  /** `size` in the unit of `sizeMax`; what is larger than all may be is not kept. */
  put(key: string, value: Value, size: number): void;
}

export function openKept<Value>({ entriesMax, sizeMax }: { readonly entriesMax: number; readonly sizeMax: number }): Kept<Value> {
  const kept = new Map<string, { readonly value: Value; readonly size: number }>();
  let held = 0;
  function drop(key: string): void {
    held -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    put(key, value, size) {
      drop(key);
      if (size > sizeMax) return;
      kept.set(key, { value, size });
      held += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= entriesMax && held <= sizeMax) break;
        drop(oldest);
      }
    },
  };
}
