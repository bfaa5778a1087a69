/** Reads the CQL that Heddle writes: table definitions, and single statements by what they touch. */

export interface Table {
  readonly name: string;
  /** Column name -> type, as written. */
  readonly columns: ReadonlyMap<string, string>;
  readonly partitionKey: readonly string[];
  readonly clusteringKey: readonly string[];
  /** What stands behind WITH, by option. */
  readonly options: ReadonlyMap<string, string>;
}

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

/** Statements of a CQL text, without comments and without what is empty. */
export function splitStatements(text: string): string[] {
  const bare = text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  return bare.split(";").map((statement) => statement.trim().replaceAll(/\s+/g, " ")).filter((statement) => statement !== "");
}

/** The tables that a list of statements leads to, in order. Throws on anything that is no addition. */
export function tablesOf(statements: readonly string[]): Map<string, Table> {
  const tables = new Map<string, Table>();
  for (const statement of statements) {
    const create = /^CREATE TABLE IF NOT EXISTS (\w+) \((.*)\)(?: WITH (.*))?$/i.exec(statement);
    const add = /^ALTER TABLE (\w+) ADD IF NOT EXISTS (\w+) (.+)$/i.exec(statement);
    if (create) tables.set(create[1] ?? "", tableOf(create[1] ?? "", create[2] ?? "", create[3] ?? ""));
    else if (add) addColumn(tables, { table: add[1] ?? "", column: add[2] ?? "", type: add[3] ?? "" });
    else {throw new Error(
        `Expected CREATE TABLE IF NOT EXISTS or ALTER TABLE ... ADD IF NOT EXISTS, got "${statement.slice(0, quotedChars)}"`,
      );}
  }
  return tables;
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

const quotedChars = 60;

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

function tableOf(name: string, body: string, options: string): Table {
  const key = /PRIMARY KEY \((?:\(([^)]*)\)|(\w+))(?:, ([^)]*))?\)/i.exec(body);
  if (!key) throw new Error(`Expected a PRIMARY KEY in table "${name}", got none`);
  const columns = body.replace(key[0], "").split(/,(?![^<]*>)/).map((part) => part.trim()).filter((part) => part !== "");
  return {
    name,
    columns: new Map(columns.map((column) => pairOf(column, " "))),
    partitionKey: listOf(key[1] ?? key[2] ?? ""),
    clusteringKey: listOf(key[3] ?? ""),
    options: new Map(options === "" ? [] : options.split(/ AND /i).map((part) => pairOf(part, "="))),
  };
}

function addColumn(tables: Map<string, Table>, { table, column, type }: { table: string; column: string; type: string }): void {
  const before = tables.get(table);
  if (!before) throw new Error(`Expected a table that was made before, got "${table}"`);
  tables.set(table, { ...before, columns: new Map([...before.columns, [column, type]]) });
}

function listOf(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

function pairOf(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}
