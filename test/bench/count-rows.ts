/**
 * Loaded before each part of a mesh that is measured (`--import`): counts the rows that it writes to Cassandra and reads there, by table, and says them in a
 * file of its own in the folder HEDDLE_BENCH_ROWS, whenever they have changed.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, pid } from "node:process";
import cassandra from "cassandra-driver";

type Query = string | { readonly query: string };

const everyMs = 200;
const counts: Record<string, number> = {};
/** By statement, as looking for the table in each costs the part that is measured. */
const keys = { read: new Map<string, string>(), write: new Map<string, string>() };
let [done, said] = [0, 0];

count(cassandra.Client.prototype as unknown as Calls);
setInterval(say, everyMs).unref();

interface Calls {
  batch: (...args: readonly unknown[]) => Promise<unknown>;
  execute: (...args: readonly unknown[]) => Promise<unknown>;
}

function count(client: Calls): void {
  const { batch, execute } = client;
  client.batch = async function (this: unknown, ...args) {
    for (const query of args[0] as readonly Query[]) add("write", textOf(query), 1);
    return await Reflect.apply(batch, this, args);
  };
  client.execute = async function (this: unknown, ...args) {
    const result = await Reflect.apply(execute, this, args) as { readonly rowLength?: number };
    const text = textOf(args[0] as Query);
    // What finds nothing has looked for a row all the same
    if (/^\s*SELECT/i.test(text)) add("read", text, Math.max(1, result.rowLength ?? 0));
    else add("write", text, 1);
    return result;
  };
}

function add(kind: "read" | "write", text: string, rows: number): void {
  const of = keys[kind];
  let key = of.get(text);
  if (key === undefined) {
    key = `${kind} ${/\b(?:FROM|INTO|UPDATE)\s+([\w.]+)/i.exec(text)?.[1] ?? ""}`;
    of.set(text, key);
  }
  counts[key] = (counts[key] ?? 0) + rows;
  done += 1;
}

function textOf(query: Query): string {
  return typeof query === "string" ? query : query.query;
}

function say(): void {
  const folder = env["HEDDLE_BENCH_ROWS"];
  if (folder === undefined || done === said) return;
  said = done;
  const path = join(folder, `${pid}.json`);
  writeFileSync(`${path}.part`, JSON.stringify(counts));
  renameSync(`${path}.part`, path);
}
