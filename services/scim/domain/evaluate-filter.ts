/** Does a user fit a filter? */
import { asList, type Fields, isFields, isPresent, member } from "../../../platform/fields.ts";
import { type AttributePath, lastOf } from "./attribute-path.ts";
import { comparedText, timeOf } from "./compared-value.ts";
import type { Compare, Filter, Operator } from "./filter.ts";

/**
 * `fields` is a user, or one value in brackets. Of several values one that fits is enough; `ne` is the opposite of `eq`, so
 * it also fits where there is no value. `eq null` fits where there is none.
 */
export function matches(filter: Filter, fields: Fields): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matches(part, fields));
    case "or":
      return filter.parts.some((part) => matches(part, fields));
    case "not":
      return !matches(filter.filter, fields);
    case "present":
      return valuesAt(fields, filter.path).some(isPresent);
    case "some":
      return valuesAt(fields, filter.path).some((value) => isFields(value) && matches(filter.filter, value));
    case "compare":
      return compares(filter, valuesAt(fields, filter.path));
  }
}

/** All values at the path, those of lists one by one. */
export function valuesAt(fields: Fields, path: AttributePath): readonly unknown[] {
  let values: readonly unknown[] = [fields];
  for (const attribute of path) {
    values = values.flatMap((value) => (isFields(value) ? asList(member(value, attribute.name)) : []));
  }
  return values;
}

function compares({ path, operator, value }: Compare, values: readonly unknown[]): boolean {
  const attribute = lastOf(path);
  function fits(held: unknown): boolean {
    if (typeof held === "boolean" || typeof value === "boolean") return held === value;
    if (typeof held !== "string" || value === null) return false;
    if (typeof value === "string") return textFits(operator, comparedText(attribute, operator, held), value);
    const at = timeOf(held);
    return at !== undefined && inOrder(operator, at, value);
  }
  if (value === null) return values.some(isPresent) === (operator === "ne");
  return operator === "ne" ? !values.some(fits) : values.some(fits);
}

function textFits(operator: Operator, held: string, value: string): boolean {
  if (operator === "co") return held.includes(value);
  if (operator === "sw") return held.startsWith(value);
  return operator === "ew" ? held.endsWith(value) : inOrder(operator, held, value);
}

/** `ne` is asked here as `eq`: compares() turns it around over all values. */
function inOrder<T extends string | number>(operator: Operator, held: T, value: T): boolean {
  if (operator === "gt") return held > value;
  if (operator === "ge") return held >= value;
  if (operator === "lt") return held < value;
  return operator === "le" ? held <= value : held === value;
}
