/** A process that does nothing but write, enough for several passes of the checkpointer, and then closes: says how many rows. */
import { join } from "node:path";
import process from "node:process";
import { openDatabase } from "./database.ts";

// Not awaited by the module: Deno keeps a process for that, and a server's module awaits nothing
void writeMany();

async function writeMany(): Promise<void> {
  const database = openDatabase({ path: join(process.argv[2] ?? "", "many.db") });
  await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
  let rows = 0;
  for (let write = 0; write < 1_000; write += 1) {
    await database.write(() => {
      for (let row = 0; row < 10; row += 1) database.prepare("INSERT INTO t (a, b) VALUES (?, ?)").run(rows += 1, new Uint8Array(4_096));
    });
  }
  await database.close();
  process.stdout.write(`${rows} rows`);
}
