/** The access rows as a set: what writes make of it, and which names, ids and secrets may be there once only. */
import { Refusal } from "../../platform/refusal.ts";
import type { AccessRows, AccessWrite } from "./rows.ts";

/** The rows after the writes, each list in a stable order. Refuses: ALREADY_EXISTS (two rows have one name or secret). */
export function withWrites(rows: AccessRows, writes: readonly AccessWrite[]): AccessRows {
  const byName = new Map(writesOf(rows).map((put) => [rowName(put), put]));
  for (const write of writes) {
    if ("put" in write) byName.set(rowName(write), write);
    else byName.delete(dropName(write));
  }
  const result = rowsOf([...byName.values()]);
  refuseTwins(result);
  return result;
}

export type PutWrite = Extract<AccessWrite, { put: string }>;
type DropWrite = Exclude<AccessWrite, PutWrite>;

/** What a row is called among all: its kind and its id, which for a declared thing has three parts. */
export function rowName(write: PutWrite): string {
  return `${write.put} ${rowId(write)}`;
}

/** The id within the kind. */
export function rowId(write: PutWrite): string {
  return write.put === "declared" ? declaredId(write.row) : write.row.id;
}

/** As rowName(), of a row that goes. */
function dropName(write: DropWrite): string {
  return `${write.drop} ${dropId(write)}`;
}

export function dropId(write: DropWrite): string {
  return write.drop === "declared" ? declaredId(write) : write.id;
}

function declaredId({ workspaceId, kind, id }: { workspaceId: string; kind: string; id: string }): string {
  return `${workspaceId} ${kind} ${id}`;
}

/** The rows as one change of who may call. */
export function writesOf(rows: AccessRows): PutWrite[] {
  return [
    ...rows.companies.map((row) => ({ put: "company", row }) as const),
    ...rows.workspaces.map((row) => ({ put: "workspace", row }) as const),
    ...rows.keys.map((row) => ({ put: "key", row }) as const),
    ...rows.tokens.map((row) => ({ put: "token", row }) as const),
    ...rows.declared.map((row) => ({ put: "declared", row }) as const),
  ];
}

/** Single rows as lists, in the order that readers rely on: by name, and what has a time by that. */
export function rowsOf(puts: readonly PutWrite[]): AccessRows {
  return {
    companies: puts.flatMap((put) => put.put === "company" ? [put.row] : []).sort(by((row) => [row.name])),
    workspaces: puts.flatMap((put) => put.put === "workspace" ? [put.row] : []).sort(by((row) => [row.companyId, row.name])),
    keys: puts.flatMap((put) => put.put === "key" ? [put.row] : []).sort(by((row) => [row.createdAt, row.id])),
    tokens: puts.flatMap((put) => put.put === "token" ? [put.row] : []).sort(by((row) => [row.createdAt, row.id])),
    declared: puts.flatMap((put) => put.put === "declared" ? [put.row] : []).sort(by((row) => [row.workspaceId, row.kind, row.id])),
  };
}

function by<T>(key: (row: T) => readonly (string | number)[]): (left: T, right: T) => number {
  return (left, right) => {
    const [own, other] = [key(left), key(right)];
    for (const [at, value] of own.entries()) {
      const second = other[at] ?? "";
      if (value !== second) return value < second ? -1 : 1;
    }
    return 0;
  };
}

function refuseTwins(rows: AccessRows): void {
  const unique: readonly (readonly [what: string, names: readonly string[]])[] = [
    ["company", rows.companies.map(({ name }) => name)],
    ["workspace", rows.workspaces.map(({ companyId, name }) => `${companyId} ${name}`)],
    ["key", rows.keys.map(({ digest }) => digest)],
    ["token", rows.tokens.map(({ digest }) => digest)],
  ];
  for (const [what, names] of unique) {
    if (new Set(names).size < names.length) throw new Refusal("ALREADY_EXISTS", `A ${what} with this name, id or secret exists already`);
  }
}
