/** What a page may show of the profile of its own person: named as pages name it, and as exports do. */

/** Names in a page, without braces. */
export interface WantedFields {
  readonly standard: ReadonlySet<string>;
  readonly custom: ReadonlySet<string>;
}

/** One that the person does not have is absent, so the page's default stands for it. */
export interface PersonFields {
  readonly standard: ReadonlyMap<string, FieldValue>;
  readonly custom: ReadonlyMap<string, FieldValue>;
}

type FieldValue = string | number | boolean;

export const noFields: PersonFields = { standard: new Map(), custom: new Map() };

/** The name of an export by the name that pages give it. */
export const standardFields: ReadonlyMap<string, string> = new Map([
  ["first_name", "first_name"],
  ["last_name", "last_name"],
  ["user_id", "external_id"],
  ["phone_number", "phone"],
  ["city", "home_city"],
  ["country", "country"],
  ["language", "language"],
  ["time_zone", "time_zone"],
  ["gender", "gender"],
  ["date_of_birth", "dob"],
]);

export function isNoneWanted({ standard, custom }: WantedFields): boolean {
  return standard.size === 0 && custom.size === 0;
}

/** Of an exported profile. A list of single values is one text; what has no text of its own is absent. */
export function personFields(exported: Readonly<Record<string, unknown>>, { standard, custom }: WantedFields): PersonFields {
  const attributes = exported["custom_attributes"];
  const own = typeof attributes === "object" && attributes !== null ? new Map(Object.entries(attributes)) : new Map<string, unknown>();
  return {
    standard: shown(standard, (name) => exported[standardFields.get(name) ?? ""]),
    custom: shown(custom, (name) => own.get(name)),
  };
}

function shown(names: Iterable<string>, valueOf: (name: string) => unknown): Map<string, FieldValue> {
  const fields = new Map<string, FieldValue>();
  for (const name of names) {
    const value = valueOf(name);
    if (isSingle(value)) fields.set(name, value);
    else if (Array.isArray(value) && value.length > 0 && value.every(isSingle)) fields.set(name, value.join(", "));
  }
  return fields;
}

function isSingle(value: unknown): value is FieldValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
