/** A process that writes a megabyte at a time to the database of its first argument and says how many are durable, until it is killed; for tests. */
import process from "node:process";
import { silentLogger } from "../logger.ts";
import { openDatabase } from "./database.ts";

const database = openDatabase({ path: process.argv[2] ?? "", logger: { ...silentLogger, error: () => process.exit(1) } });
await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
const blob = new Uint8Array(1024 ** 2);
for (let written = 1; written < 10_000; written += 1) {
  await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob));
  process.send?.(written);
}
