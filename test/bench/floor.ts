/** The raw floors, in processes of their own: node:http that parses the same bodies, and SQLite that writes the same rows. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const [what, argument] = process.argv.slice(2);
if (what === "http") serve();
if (what === "sqlite") write(argument ?? ":memory:");

function serve(): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(201, { "content-type": "application/json" });
      response.end('{"message":"success"}');
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  });
}

/** Upserts rows of 600 bytes, 500 a durable transaction, and prints microseconds of CPU a row. */
function write(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows (owner TEXT, id TEXT, body TEXT, PRIMARY KEY (owner, id)) WITHOUT ROWID",
  );
  const upsert = database.prepare("INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
  const body = "x".repeat(600);
  const rows = 200_000;
  const began = process.cpuUsage();
  const start = performance.now();
  for (let n = 0; n < rows; n += 500) {
    database.exec("BEGIN IMMEDIATE");
    for (let i = n; i < n + 500; i++) upsert.run("ws", `user-${(i * 7919) % 10_000}`, body);
    database.exec("COMMIT");
  }
  const used = process.cpuUsage(began);
  console.log(
    JSON.stringify({ cpuUs: (used.user + used.system) / rows, perSecond: Math.round(rows / ((performance.now() - start) / 1000)) }),
  );
  database.close();
}
