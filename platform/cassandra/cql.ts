/** Reads the CQL of tables that Heddle writes. */

export interface Table {
  readonly name: string;
  /** Column name -> type, as written. */
  readonly columns: ReadonlyMap<string, string>;
  readonly partitionKey: readonly string[];
  readonly clusteringKey: readonly string[];
  /** What stands behind WITH, by option. */
  readonly options: ReadonlyMap<string, string>;
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

/** Of a statement, in an error. */
export const quotedChars = 60;

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

/** What stands between commas. */
export function listOf(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

export function pairOf(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}
