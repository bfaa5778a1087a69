/** Reads single CQL statements that Heddle writes, by what they touch: for sessions of tests. */
import { listOf, pairOf, quotedChars } from "./cql.ts";

export interface Parsed {
  readonly kind: "select" | "insert" | "update" | "delete";
  readonly table: string;
  /** What a select reads, an insert writes, a delete is limited to. */
  readonly columns: readonly string[];
  /** An insert's values, by column, as written (`:marker` or a literal). */
  readonly values: ReadonlyMap<string, string>;
  readonly where: readonly { readonly column: string; readonly operator: string; readonly value: string }[];
  readonly limit: string | undefined;
  readonly descending: boolean;
  /** `USING` parts by name: timestamp, ttl. */
  readonly using: ReadonlyMap<string, string>;
  readonly isConditional: boolean;
  readonly allowsFiltering: boolean;
}

/** Throws on what this reader does not know: better than to let a statement pass unseen. Texts are constants, so each is read once. */
export function parseStatement(cql: string): Parsed {
  const known = parsed.get(cql) ?? readStatement(cql);
  parsed.set(cql, known);
  return known;
}

const parsed = new Map<string, Parsed>();

function readStatement(cql: string): Parsed {
  const text = cql.trim().replaceAll(/\s+/g, " ");
  const shape = shapes.find(({ pattern }) => pattern.test(text));
  const match = shape?.pattern.exec(text);
  if (!shape || !match) {
    throw new Error(`Expected a SELECT, INSERT, UPDATE or DELETE of a known shape, got "${text.slice(0, quotedChars)}"`);
  }
  const { table = "", columns = "", values = "", where = "", using = "", limit } = match.groups ?? {};
  const names = listOf(columns);
  const given = listOf(values);
  return {
    kind: shape.kind,
    table,
    columns: names,
    values: new Map(given.map((value, at) => [names[at] ?? "", value])),
    where: where === "" ? [] : where.split(/ AND /i).map(conditionOf),
    limit,
    descending: / ORDER BY \w+ DESC/i.test(text),
    using: new Map(using === "" ? [] : using.split(/ AND /i).map((part) => pairOf(part, " "))),
    isConditional: / IF /i.test(text),
    allowsFiltering: /ALLOW FILTERING/i.test(text),
  };
}

const usingPart = "(?: USING (?<using>\\w+ \\S+(?: AND \\w+ \\S+)?))?";
const conditionPart = "(?: IF .+)?";
const shapes: readonly { readonly kind: Parsed["kind"]; readonly pattern: RegExp }[] = [
  {
    kind: "select",
    pattern:
      /^SELECT (?<columns>.+?) FROM (?<table>\w+)(?: WHERE (?<where>.+?))?(?: ORDER BY \w+(?: ASC| DESC)?)?(?: LIMIT (?<limit>\S+))?(?: ALLOW FILTERING)?$/i,
  },
  {
    kind: "insert",
    pattern: new RegExp(
      `^INSERT INTO (?<table>\\w+) \\((?<columns>[^)]*)\\) VALUES \\((?<values>[^)]*)\\)${conditionPart}${usingPart}$`,
      "i",
    ),
  },
  { kind: "update", pattern: new RegExp(`^UPDATE (?<table>\\w+)${usingPart} SET .+? WHERE (?<where>.+?)${conditionPart}$`, "i") },
  {
    kind: "delete",
    pattern: new RegExp(
      `^DELETE (?:(?<columns>\\w+(?:, \\w+)*) )?FROM (?<table>\\w+)${usingPart} WHERE (?<where>.+?)${conditionPart}$`,
      "i",
    ),
  },
];

function conditionOf(text: string): Parsed["where"][number] {
  const match = /^(\w+) ?(=|<=|>=|<|>|IN) ?(\S+)$/i.exec(text.trim());
  if (!match) throw new Error(`Expected a condition on one column, got "${text}"`);
  return { column: match[1] ?? "", operator: (match[2] ?? "").toUpperCase(), value: match[3] ?? "" };
}
