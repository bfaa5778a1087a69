/** Names of the domain that are those of a generated enum: each of its constants in small letters, except UNSPECIFIED. */

type Constants = Readonly<Record<string, number>>;

type Named<Enum> = Exclude<keyof Enum & string, "UNSPECIFIED">;

/** To look up names of the domain. What a client sends may be a name of Object.prototype: for that, a Map of the entries. */
export function numbersOf<Enum extends Constants>(constants: Enum) {
  const named = Object.entries(constants).filter(([name]) => name !== "UNSPECIFIED");
  return Object.fromEntries(named.map(([name, number]) => [name.toLowerCase(), number])) as {
    readonly [Name in Named<Enum> as Lowercase<Name>]: Enum[Name];
  };
}

/**
 * By number. Messages hand on any number, of an enum that a newer build has more of, too: so one may be no name's, and is looked up and never taken for
 * granted.
 */
export function namesOf<Enum extends Constants>(constants: Enum): ReadonlyMap<number, Lowercase<Named<Enum>>> {
  const numbers: Constants = numbersOf(constants);
  return new Map(Object.entries(numbers).map(([name, number]) => [number, name as Lowercase<Named<Enum>>]));
}
