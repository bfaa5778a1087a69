/** One change of a patch, applied: adds, replaces or removes at a path and gives back the user as it is then. */
import { isSame } from "../../../platform/field-changes.ts";
import { asList, type Fields, isFields, isPresent, member } from "../../../platform/fields.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { attributeNamed, type AttributePath, lastOf, pathText } from "./attribute-path.ts";
import { booleanOf, invalid } from "./check-values.ts";
import { matches } from "./evaluate-filter.ts";
import type { Filter } from "./filter.ts";
import type { PatchPath } from "./patch-path.ts";
import type { Attribute } from "./schema.ts";

export interface Change {
  readonly op: "add" | "replace" | "remove";
  readonly path: PatchPath;
  readonly value: unknown;
}

export function applyChange(fields: Fields, change: Change): Fields {
  const { path } = change;
  const required = path.filter === undefined && path.path.every((attribute) => attribute.required);
  if (required && takesAway(change)) throw new Refusal("ATTRIBUTE_READ_ONLY", `'${pathText(path.path)}' is required and cannot be removed`);
  return at(fields, path.path, change);
}

function takesAway({ op, value }: Pick<Change, "op" | "value">): boolean {
  return op === "remove" || (op === "replace" && !isPresent(value));
}

/** Walks down to the attribute; complex attributes on the way are made where they are not there yet, but not to take away from them. */
function at(fields: Fields, [attribute, ...rest]: AttributePath, change: Change): Fields {
  const held = member(fields, attribute.name);
  const [next, ...more] = rest;
  if (next === undefined) return set(fields, attribute.name, changed(attribute, held, change));
  if (held === undefined && takesAway(change)) return fields;
  if (!Array.isArray(held)) return set(fields, attribute.name, at(isFields(held) ? held : {}, [next, ...more], change));
  // `emails.value` is a path of all values
  const inner = held.map((each) => (isFields(each) ? at(each, [next, ...more], change) : each));
  return set(fields, attribute.name, takesAway(change) ? inner.filter((each) => isWhole(attribute, each)) : inner);
}

/** False of an address whose `value` was taken away: it is none any more, as Entra ID means it. */
function isWhole({ sub = [] }: Attribute, value: unknown): boolean {
  return !isFields(value) || sub.every(({ required, name }) => !required || isPresent(member(value, name)));
}

/** Without the member where the value is undefined. */
function set(fields: Fields, name: string, value: unknown): Fields {
  const { [name]: _, ...others } = fields;
  return value === undefined ? others : { ...others, [name]: value };
}

function changed(attribute: Attribute, held: unknown, change: Change): unknown {
  const { filter, below } = change.path;
  if (filter) return withinValues(attribute, asList(held), { ...change, filter, ...(below ? { below } : {}) });
  if (change.op === "remove") return removed(attribute, held, change.value);
  const value = normalised(attribute, change.value);
  if (attribute.multi) return change.op === "add" ? added(attribute, asList(held), asList(value)) : asList(value);
  if (attribute.type !== "complex") return value ?? undefined;
  if (!isFields(value)) return value ?? (change.op === "add" ? held : undefined);
  return merged(isFields(held) ? held : {}, value, { attribute, op: change.op });
}

/** Sub-attributes that are not named stay (section 3.5.2.3), and to lists `add` adds (section 3.5.2.1). */
function merged(held: Fields, value: Fields, { attribute, op }: Pick<Change, "op"> & { readonly attribute: Attribute }): Fields {
  return Object.entries(value).reduce((all, [name, inner]) => {
    const sub = attributeNamed(attribute.sub ?? [], name);
    const adds = op === "add" && sub?.multi;
    return set(all, name, adds ? added(sub, asList(member(all, name)), asList(inner)) : inner ?? undefined);
  }, held);
}

/**
 * Values that are there already are not added again (section 3.5.2.1), so that a repeat of the request changes nothing. One that an id or
 * a name says is there is added to.
 */
function added(attribute: Attribute, held: readonly unknown[], values: readonly unknown[]): readonly unknown[] {
  const all = [...held];
  for (const value of values) {
    const place = all.findIndex((each) => isCalledAlike(attribute, each, value));
    const there = all[place];
    if (isFields(there) && isFields(value)) all[place] = merged(there, value, { attribute, op: "add" });
    else if (!all.some((each) => says(each, value))) all.push(value);
  }
  return onePrimary(all, (place) => place >= held.length);
}

function isCalledAlike({ sub = [] }: Attribute, held: unknown, sent: unknown): boolean {
  if (!isFields(held) || !isFields(sent)) return false;
  return sub.some(({ isKey, name }) => isKey && member(sent, name) !== undefined && member(held, name) === member(sent, name));
}

/** Where one that is new is primary, the others no longer are (section 3.5.2). */
function onePrimary(values: readonly unknown[], isNew: (place: number) => boolean): readonly unknown[] {
  if (!values.some((each, place) => isNew(place) && isPrimary(each))) return values;
  return values.map((each, place) => (isPrimary(each) && !isNew(place) ? { ...each, primary: false } : each));
}

function isPrimary(value: unknown): value is Fields {
  return isFields(value) && member(value, "primary") === true;
}

/** Without a value everything goes; with one, as Entra ID sends it, the values that are named. */
function removed(attribute: Attribute, held: unknown, value: unknown): unknown {
  if (!attribute.multi || value === undefined || value === null) return undefined;
  const named = asList(normalised(attribute, value));
  return asList(held).filter((each) => !named.some((one) => says(each, one)));
}

/** All that was sent, as far as that says anything. */
function says(held: unknown, sent: unknown): boolean {
  if (!isFields(held) || !isFields(sent)) return isSame(held, sent);
  const entries = Object.entries(sent);
  return entries.length > 0 && entries.every(([name, value]) => isSame(member(held, name), value));
}

interface Within extends Change {
  readonly filter: Filter;
  readonly below?: AttributePath;
}

function withinValues(attribute: Attribute, held: readonly unknown[], change: Within): unknown {
  const { op, filter, below, value } = change;
  const meant = held.map((each) => isFields(each) && matches(filter, each));
  if (!meant.includes(true)) {
    if (op === "add") return onePrimary([...held, applyBelow(fromFilter(filter), attribute, change)], (place) => place >= held.length);
    throw new Refusal("TARGET_MISSING", `No value of '${attribute.name}' fits the filter of the path`);
  }
  if (op === "remove" && below === undefined) return held.filter((_, place) => !meant[place]);
  if (op !== "remove" && below === undefined && !isFields(value)) throw invalid(`'${attribute.name}' takes objects`);
  const after = held.map((each, place) => (meant[place] && isFields(each) ? applyBelow(each, attribute, change) : each));
  if (takesAway(change)) return after.filter((each, place) => !meant[place] || isWhole(attribute, each));
  return onePrimary(after, (place) => meant[place] === true);
}

function applyBelow(fields: Fields, attribute: Attribute, { op, below, value }: Within): Fields {
  if (below) return at(fields, below, { op, path: { path: below }, value });
  const normal = normalised({ ...attribute, multi: true }, value);
  const [first] = asList(normal);
  if (!isFields(first)) throw invalid(`'${attribute.name}' takes objects`);
  return merged(fields, first, { attribute, op });
}

/** A new value for `add` where none fits: what the filter demands of it by `eq`. */
function fromFilter(filter: Filter): Fields {
  if (filter.kind === "and") return Object.assign({}, ...filter.parts.map(fromFilter)) as Fields;
  if (filter.kind !== "compare" || filter.operator !== "eq" || filter.path.length !== 1 || filter.value === null) return {};
  return { [lastOf(filter.path).name]: typeof filter.value === "string" ? filter.text : filter.value };
}

/** Members under the names of the schema, and truths that were sent as texts. */
function normalised(attribute: Attribute, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => normalised(attribute, each));
  if (attribute.type === "boolean") return isPresent(value) ? booleanOf(value, attribute.name) : undefined;
  if (attribute.type !== "complex" || !isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const sub = attributeNamed(attribute.sub ?? [], name);
      return sub ? [sub.name, normalised(sub, inner)] : [name, inner];
    }),
  );
}
