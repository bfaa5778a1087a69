/** A second, plain reading of what a filter means, written without the parser, and filters and users to compare them on. */
import * as fc from "fast-check";
import type { Fields } from "../../../platform/fields.ts";

type Term =
  | { kind: "text"; attribute: string; exact?: boolean; operator: string; value: string }
  | { kind: "truth"; attribute: string; operator: "eq" | "ne"; value: boolean }
  | { kind: "time"; attribute: string; operator: string; value: string }
  | { kind: "null"; attribute: string; operator: "eq" | "ne" }
  | { kind: "present"; attribute: string };
export type Model =
  | Term
  | { kind: "and"; left: Model; right: Model }
  | { kind: "or"; left: Model; right: Model }
  | { kind: "not"; inner: Model }
  | { kind: "some"; attribute: string; inner: Model };

const word = fc.constantFrom("a", "A", "ab", "Ab", "b", "B@x.de", "b@X.de", "é", "ann@example.com", 'x"y', "\\");
const order = ["eq", "ne", "gt", "ge", "lt", "le"];
const times = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2026-06-01T00:00:00.500Z", "2025-12-31T23:59:59Z");

function text(attributes: readonly string[], exact: boolean): fc.Arbitrary<Model> {
  return fc.record({
    kind: fc.constant("text" as const),
    attribute: fc.constantFrom(...attributes),
    exact: fc.constant(exact),
    operator: fc.constantFrom(...order, "co", "sw", "ew"),
    value: word,
  });
}

const topTerm: fc.Arbitrary<Model> = fc.oneof(
  text(["displayName", "name.givenName", "name.familyName", "emails.value", "emails.type"], false),
  text(["externalId", "department", "permissions.companyPermissions", "permissions.appGroup.appGroupPermissions"], true),
  fc.record({
    kind: fc.constant("truth" as const),
    attribute: fc.constantFrom("active", "emails.primary"),
    operator: fc.constantFrom("eq" as const, "ne" as const),
    value: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("time" as const),
    attribute: fc.constantFrom("lastSignInAt", "meta.created"),
    operator: fc.constantFrom(...order),
    value: times,
  }),
  fc.record({
    kind: fc.constant("null" as const),
    attribute: fc.constantFrom("displayName", "externalId", "emails.display"),
    operator: fc.constantFrom("eq" as const, "ne" as const),
  }),
  fc.record({
    kind: fc.constant("present" as const),
    attribute: fc.constantFrom("displayName", "emails", "externalId", "name", "permissions.appGroup", "active"),
  }),
);
const innerTerm: fc.Arbitrary<Model> = fc.oneof(
  text(["value", "type", "display"], false),
  fc.record({
    kind: fc.constant("truth" as const),
    attribute: fc.constant("primary"),
    operator: fc.constantFrom("eq" as const, "ne" as const),
    value: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("present" as const), attribute: fc.constantFrom("value", "display", "primary") }),
);

function tree(leaf: fc.Arbitrary<Model>, maxDepth: number): fc.Arbitrary<Model> {
  return fc.letrec<{ node: Model }>((tie) => ({
    node: fc.oneof(
      { maxDepth, withCrossShrink: true },
      leaf,
      fc.record({ kind: fc.constant("and" as const), left: tie("node"), right: tie("node") }),
      fc.record({ kind: fc.constant("or" as const), left: tie("node"), right: tie("node") }),
      fc.record({ kind: fc.constant("not" as const), inner: tie("node") }),
    ),
  })).node;
}

const bracketed: fc.Arbitrary<Model> = fc.record({
  kind: fc.constant("some" as const),
  attribute: fc.constant("emails"),
  inner: tree(innerTerm, 2),
});
export const arbitraryFilter: fc.Arbitrary<Model> = tree(
  fc.oneof({ weight: 4, arbitrary: topTerm }, { weight: 1, arbitrary: bracketed }),
  4,
);

const emails = fc.array(
  fc.record({ value: word, type: fc.constantFrom("work", "Home"), display: word, primary: fc.boolean() }, { requiredKeys: ["value"] }),
  { maxLength: 3 },
);
export const arbitraryUser: fc.Arbitrary<Fields> = fc.record(
  {
    displayName: word,
    externalId: word,
    name: fc.record({ givenName: word, familyName: word }),
    active: fc.boolean(),
    emails,
    department: word,
    lastSignInAt: times,
    meta: fc.record({ created: times }),
    permissions: fc.record({
      companyPermissions: fc.array(word, { maxLength: 2 }),
      appGroup: fc.array(fc.record({ appGroupPermissions: fc.array(word, { maxLength: 2 }) }), { maxLength: 2 }),
    }),
  },
  { requiredKeys: ["name", "active", "meta", "permissions"] },
);

/** As a client would write it; `spelling` chooses cases, spaces and needless parentheses. */
export function written(model: Model, spelling: number): string {
  const odd = spelling % 2 === 1;
  const next = Math.floor(spelling / 2) + (odd ? 77 : 0);
  function spelled(word: string): string {
    return odd ? word.toUpperCase() : word;
  }
  if (model.kind === "and" || model.kind === "or") {
    return `(${written(model.left, next)}) ${spelled(model.kind)}${odd ? "  " : " "}(${written(model.right, next)})`;
  }
  if (model.kind === "not") return `${spelled("not")}${odd ? "" : " "}(${written(model.inner, next)})`;
  if (model.kind === "some") return `${spelled(model.attribute)}[${written(model.inner, next)}]`;
  if (model.kind === "present") return `${spelled(model.attribute)} ${spelled("pr")}`;
  const value = model.kind === "null" ? "null" : JSON.stringify(model.value);
  return `${spelled(model.attribute)} ${spelled(model.operator)} ${value}`;
}

export function reference(model: Model, user: Fields): boolean {
  if (model.kind === "and") return reference(model.left, user) && reference(model.right, user);
  if (model.kind === "or") return reference(model.left, user) || reference(model.right, user);
  if (model.kind === "not") return !reference(model.inner, user);
  const values = held(user, model.attribute.split("."));
  if (model.kind === "some") return values.some((value) => reference(model.inner, value as Fields));
  if (model.kind === "present") return values.some(filled);
  if (model.kind === "null") return (model.operator === "eq") === !values.some(filled);
  if (model.operator === "ne") return !values.some((value) => single({ ...model, operator: "eq" } as Term, value));
  return values.some((value) => single(model, value));
}

function held(value: unknown, [name, ...rest]: string[]): unknown[] {
  if (name === undefined) return [value];
  const inner = (value as Record<string, unknown>)[name];
  if (inner === undefined) return [];
  return (Array.isArray(inner) ? inner : [inner]).flatMap((each) => held(each, rest));
}

function filled(value: unknown): boolean {
  if (value === "" || value === undefined) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).some(filled);
}

function single(term: Term, value: unknown): boolean {
  if (term.kind === "truth") return value === term.value;
  if (term.kind === "time") return ordered(term.operator, Date.parse(String(value)), Date.parse(term.value));
  if (term.kind !== "text") throw new Error(`Expected a term with a value, got ${term.kind}`);
  const [left, right] = term.exact ? [String(value), term.value] : [lower(String(value)), lower(term.value)];
  if (term.operator === "co") return left.includes(right);
  if (term.operator === "sw") return left.slice(0, right.length) === right;
  if (term.operator === "ew") return right === "" || left.slice(-right.length) === right;
  return ordered(term.operator, left, right);
}

/** ASCII only, letter by letter. */
function lower(text: string): string {
  return [...text].map((letter) => (letter >= "A" && letter <= "Z" ? letter.toLowerCase() : letter)).join("");
}

function ordered<T>(operator: string, left: T, right: T): boolean {
  switch (operator) {
    case "eq":
      return left === right;
    case "gt":
      return left > right;
    case "ge":
      return left >= right;
    case "lt":
      return left < right;
    default:
      return left <= right;
  }
}
