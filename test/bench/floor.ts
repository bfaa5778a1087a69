/** The raw floors, in processes of their own: node:http that parses the same bodies, and SQLite that writes the same rows. */
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const [what, argument, count] = process.argv.slice(2);
if (what === "http") serve();
if (what === "sqlite") write(argument ?? ":memory:");
if (what === "users") readAndWrite(argument ?? ":memory:", Number(count ?? 10_000));

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

/**
 * What no store on SQLite can spare for a user who is not in memory: a name and an address are looked up, the user's row
 * is read and written back, over `users` users in an order that has nothing to do with theirs, 500 a durable transaction.
 */
function readAndWrite(path: string, users: number): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768;
    CREATE TABLE names (owner INTEGER, name TEXT, id TEXT, PRIMARY KEY (owner, name)) WITHOUT ROWID;
    CREATE TABLE users (place INTEGER PRIMARY KEY, body TEXT)`);
  const putName = database.prepare("INSERT INTO names VALUES (?, ?, ?)");
  const putUser = database.prepare("INSERT INTO users VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
  const getName = database.prepare("SELECT id FROM names WHERE owner = ? AND name = ?");
  const getUser = database.prepare("SELECT body FROM users WHERE place = ?");
  const filler = "x".repeat(600);
  inTransactions(database, users, (n) => {
    putName.run(n % 63, `x:user-${n}`, `${n}`.padStart(24, "0"));
    putName.run(n % 63, `e:user-${n}@example.com`, `${n}`.padStart(24, "0"));
    putUser.run(n, filler);
  });
  const turns = 60_000;
  const began = process.cpuUsage();
  const start = performance.now();
  inTransactions(database, turns, (turn) => {
    const n = (turn * 7919 * 63) % users;
    getName.get(n % 63, `x:user-${n}`);
    getName.get(n % 63, `e:user-${n}@example.com`);
    getUser.get(n);
    putUser.run(n, `${filler}${turn}`);
  });
  const used = process.cpuUsage(began);
  console.log(
    JSON.stringify({ cpuUs: (used.user + used.system) / turns, perSecond: Math.round(turns / ((performance.now() - start) / 1000)) }),
  );
  database.close();
  // Of very many users it takes the room in which the system keeps what others read
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
}

function inTransactions(database: DatabaseSync, count: number, work: (n: number) => void): void {
  for (let n = 0; n < count; n += 500) {
    database.exec("BEGIN IMMEDIATE");
    for (let i = n; i < Math.min(n + 500, count); i++) work(i);
    database.exec("COMMIT");
  }
}
