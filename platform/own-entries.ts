/**
 * Maps and lists that are shared while they are empty, for owners of which there are very many: a Map is some 200 bytes in two objects to trace. They are
 * read-only to all who read; what writes into a map takes one of the owner's own first.
 */

export const noItems: readonly never[] = [];

/** Nothing is ever put into it. In a structured clone of an owner all empty maps would be one that is not known as shared: copy with `copyEntries`. */
const none: ReadonlyMap<never, never> = new Map<never, never>();

export function noEntries<Key, Value>(): ReadonlyMap<Key, Value> {
  return none as unknown as ReadonlyMap<Key, Value>;
}

/** As a new Map of the entries; the shared one where there is none. */
export function entriesFrom<Key, Value>(entries: readonly (readonly [Key, Value])[] | undefined): ReadonlyMap<Key, Value> {
  return entries === undefined || entries.length === 0 ? noEntries() : new Map(entries);
}

/** A copy whose values are those of `copy`, or the same. */
export function copyEntries<Key, Value>(map: ReadonlyMap<Key, Value>, copy?: (value: Value) => Value): ReadonlyMap<Key, Value> {
  if (map.size === 0) return noEntries();
  if (copy === undefined) return new Map(map);
  const copies = new Map<Key, Value>();
  for (const [key, value] of map) copies.set(key, copy(value));
  return copies;
}

/** The map of that name, to be written to: from now on the owner's alone. */
export function ownEntries<Owner extends object, Name extends MapNames<Owner>>(owner: Owner, name: Name): OwnMap<Owner[Name]> {
  const map: unknown = owner[name];
  if (map !== none) return map as OwnMap<Owner[Name]>;
  const own = new Map();
  owner[name] = own as unknown as Owner[Name];
  return own as OwnMap<Owner[Name]>;
}

/** Names of the maps that an object has. */
type MapNames<Owner> = { [Name in keyof Owner]: Owner[Name] extends ReadonlyMap<unknown, unknown> ? Name : never }[keyof Owner];
type OwnMap<Of> = Of extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never;
