/**
 * A process that writes a megabyte at a time to the database of its first argument, until it is killed or, where the second says so, its WAL has begun
 * anew, and prints how many are durable; it ends with 1 where anything of the store failed. For tests.
 */
import { closeSync, openSync, readSync } from "node:fs";
import process from "node:process";
import { silentLogger } from "../logger.ts";
import { openDatabase } from "./database.ts";

const [path = "", until] = process.argv.slice(2);
const database = openDatabase({ path, logger: { ...silentLogger, error: () => process.exit(1) } });
await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
const blob = new Uint8Array(1024 ** 2);
const first = salt();
for (let written = 1; !isDone(); written += 1) {
  await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob));
  process.stdout.write(`${written}\n`);
}
await database.close();

function isDone(): boolean {
  return until === "anew" && salt() !== first;
}

/** In the header of the WAL, another one whenever it begins anew (SQLite's file format, 4.1). */
function salt(): number {
  const header = new Uint8Array(20);
  const file = openSync(`${path}-wal`, "r");
  readSync(file, header, 0, 20, 0);
  closeSync(file);
  return new DataView(header.buffer).getUint32(16);
}
