/** Reads a YAML or JSON text field by field, and keeps every problem with its line instead of stopping at the first. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

import { nearest } from "../nearest.ts";

/** One thing wrong with the text. Lines count from 1. */
export interface Problem {
  readonly line: number;
  readonly text: string;
}

/** A value of the text, what it is called in messages, and where it stands. */
export interface Place {
  readonly value: unknown;
  readonly name: string;
  readonly line: number;
}

/** Every reading method answers undefined (or nothing) after it has noted a problem. */
export interface DeclarationReader {
  readonly root: Place;
  readonly problems: Problem[];
  /** The fields of a mapping; one that is not among `known` is a problem. */
  fields(place: Place, known: readonly string[]): Map<string, Place>;
  /** All entries of a mapping, whatever they are called. */
  entries(place: Place): Map<string, Place>;
  /** The elements of a list; an absent or empty one has none. */
  items(place: Place | undefined): Place[];
  text(place: Place): string | undefined;
  /** A number as the text has it, so that `1.10` stays exact. */
  numeral(place: Place): string | undefined;
  flag(place: Place): boolean | undefined;
  isMapping(place: Place): boolean;
  /** Notes a problem at the place. */
  refuse(place: Place, text: string): undefined;
}

/** Parses the text; what is wrong with its syntax is already among the problems. */
export function readDeclaration(text: string): DeclarationReader {
  const lines = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, logLevel: "silent" });
  const problems = firstOf([...document.errors, ...document.warnings].map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    text: syntaxProblem(error),
  })));

  function placeOf(node: unknown, name: string, lineAbove: number): Place {
    const value = yaml().isAlias(node) ? node.resolve(document) : node;
    const range = (node as { range?: readonly number[] | null } | null)?.range;
    return { value, name, line: range ? lines.linePos(range[0] ?? 0).line : lineAbove };
  }

  function refuse(place: Place, text: string): undefined {
    problems.push({ line: place.line, text });
    return undefined;
  }

  function entries(place: Place): Map<string, Place> {
    const found = new Map<string, Place>();
    if (!yaml().isMap(place.value)) {
      if (!isEmpty(place.value)) refuse(place, `"${place.name}" must be a mapping of fields, not ${kindOf(place.value)}`);
      return found;
    }
    for (const pair of place.value.items) {
      const key = yaml().isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : "";
      const line = placeOf(pair.key, key, place.line).line;
      // The field's own line, not its value's: `apps:` and its list begin on different lines.
      found.set(key, { ...placeOf(pair.value, key, line), line });
    }
    return found;
  }

  function fields(place: Place, known: readonly string[]): Map<string, Place> {
    const found = entries(place);
    for (const [key, field] of found) {
      if (known.includes(key)) continue;
      const meant = nearest(key, known);
      refuse(field, `unknown field "${key}" in ${place.name}${meant ? `; did you mean "${meant}"?` : `; it has ${known.join(", ")}`}`);
    }
    return found;
  }

  function items(place: Place | undefined): Place[] {
    if (!place || isEmpty(place.value)) return [];
    if (!yaml().isSeq(place.value)) {
      refuse(place, `"${place.name}" must be a list, not ${kindOf(place.value)}`);
      return [];
    }
    return place.value.items.map((node, at) => placeOf(node, `${place.name}[${at}]`, place.line));
  }

  const root = placeOf(document.contents, "the declaration", 1);
  return {
    root,
    problems,
    fields,
    entries,
    items,
    text: (place) => textOf(place, refuse),
    numeral: (place) => numeralOf(place, refuse),
    flag: (place) => flagOf(place, refuse),
    refuse,
    isMapping: (place) => yaml().isMap(place.value),
  };
}

function textOf(place: Place, refuse: DeclarationReader["refuse"]): string | undefined {
  if (isEmpty(place.value)) return refuse(place, `"${place.name}" is empty`);
  const value = yaml().isScalar(place.value) ? place.value.value : undefined;
  // As of requests over HTTP: a store may keep another character in its place
  if (typeof value === "string") {
    return value.isWellFormed() ? value : refuse(place, `"${place.name}" must not hold half of a surrogate pair`);
  }
  if (value === undefined) return refuse(place, `"${place.name}" must be text, not ${kindOf(place.value)}`);
  return refuse(place, `"${place.name}" must be text, not ${kindOf(place.value)}: put it in quotes`);
}

function numeralOf(place: Place, refuse: DeclarationReader["refuse"]): string | undefined {
  const value = yaml().isScalar(place.value) ? place.value : undefined;
  if (typeof value?.value !== "number" && typeof value?.value !== "string") {
    return refuse(place, `"${place.name}" must be a number, not ${kindOf(place.value)}`);
  }
  return typeof value.value === "string" ? value.value : value.source ?? String(value.value);
}

function flagOf(place: Place, refuse: DeclarationReader["refuse"]): boolean | undefined {
  const value = yaml().isScalar(place.value) ? place.value.value : undefined;
  return typeof value === "boolean" ? value : refuse(place, `"${place.name}" must be true or false, not ${kindOf(place.value)}`);
}

function syntaxProblem(error: { readonly code: string; readonly message: string }): string {
  if (error.code === "DUPLICATE_KEY") return "the same field stands twice";
  if (error.code === "MULTIPLE_DOCS") return "the file holds more than one document; keep one";
  const text = `not valid YAML or JSON: ${error.message}`;
  return text.length > syntaxCharsMax ? `${text.slice(0, syntaxCharsMax)}…` : text;
}

/** A file of another kind has a problem in each line, and the parser quotes what it found. */
const syntaxCharsMax = 120;
const syntaxProblemsMax = 10;

function firstOf(problems: readonly Problem[]): Problem[] {
  const [next] = problems.slice(syntaxProblemsMax);
  const more = problems.length - syntaxProblemsMax;
  return [...problems.slice(0, syntaxProblemsMax), ...(next === undefined ? [] : [{ line: next.line, text: `and ${more} more` }])];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (yaml().isScalar(value) && value.value === null);
}

function kindOf(value: unknown): string {
  if (yaml().isMap(value)) return "a mapping";
  if (yaml().isSeq(value)) return "a list";
  if (!yaml().isScalar(value) || value.value === null) return "nothing";
  return typeof value.value === "string" ? "text" : `the ${typeof value.value} ${String(value.source ?? value.value)}`;
}

/** A fifth of all modules, and most starts declare nothing: loaded with the first declaration. */
const require = createRequire(import.meta.url);
let loaded: typeof Yaml | undefined;

function yaml(): typeof Yaml {
  return (loaded ??= require("yaml") as typeof Yaml);
}
