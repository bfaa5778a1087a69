/** Maps that keep the newest entries only. */

export function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const name of map.keys()) {
    if (map.size <= max) return;
    map.delete(name);
  }
}
