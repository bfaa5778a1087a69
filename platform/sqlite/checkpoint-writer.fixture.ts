/**
 * A process that writes a megabyte at a time to the database of its first argument, as often as the second says or until it is killed, and prints how
 * many are durable; it ends with 1 where anything of the store failed. For tests.
 */
import process from "node:process";
import { silentLogger } from "../logger.ts";
import { openDatabase } from "./database.ts";

const [path = "", times = "Infinity"] = process.argv.slice(2);
const database = openDatabase({ path, logger: { ...silentLogger, error: () => process.exit(1) } });
await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
const blob = new Uint8Array(1024 ** 2);
for (let written = 1; written <= Number(times); written += 1) {
  await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob));
  process.stdout.write(`${written}\n`);
}
await database.close();
