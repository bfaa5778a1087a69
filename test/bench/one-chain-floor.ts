/**
 * What a server of one process on bare node:http and SQLite takes for a request of one object that is durable before it is answered, with no user in memory:
 * the body is parsed; a transaction for all that waits appends their bodies to a log and syncs; the next one reads a name, an address and the user's row of
 * each, writes the row back and appends an event. A process of its own, for `floors.ts`: `path users owners`, of users whom `bodies.ts` names.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

interface Waiting {
  readonly owner: number;
  readonly body: Buffer;
  readonly events: readonly { readonly external_id: string }[];
  readonly response: ServerResponse;
}

const [path = ":memory:", users = "10000", owners = "63"] = process.argv.slice(2);
const database = new DatabaseSync(path);
database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint=4000;
  CREATE TABLE log (place INTEGER PRIMARY KEY, body BLOB);
  CREATE TABLE names (owner INTEGER, name TEXT, id INTEGER, PRIMARY KEY (owner, name)) WITHOUT ROWID;
  CREATE TABLE users (id INTEGER PRIMARY KEY, body TEXT);
  CREATE TABLE events (place INTEGER PRIMARY KEY, body BLOB)`);
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const append = database.prepare("INSERT INTO log (body) VALUES (?)");
const trim = database.prepare("DELETE FROM log WHERE place <= ?");
const putName = database.prepare("INSERT INTO names VALUES (?, ?, ?)");
const getName = database.prepare("SELECT id FROM names WHERE owner = ? AND name = ?");
const getUser = database.prepare("SELECT body FROM users WHERE id = ?");
const putUser = database.prepare("INSERT INTO users VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
const putEvent = database.prepare("INSERT INTO events (body) VALUES (?)");
const rowBytes = 600;
const trimEach = 1_000;

let waiting: Waiting[] = [];
/** Answered, and in no row yet. */
let answered: Waiting[] = [];
let isDue = false;

fill();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    waiting.push({
      owner: ownerOf(request.headers.authorization),
      body,
      ...(JSON.parse(body.toString()) as Pick<Waiting, "events">),
      response,
    });
    if (!isDue) setImmediate(cycle);
    isDue = true;
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

/** One transaction, and one sync, for what is appended now and what the last one appended. */
function cycle(): void {
  const [appended, applied] = [waiting, answered];
  [waiting, answered, isDue] = [[], appended, appended.length > 0];
  begin.run();
  let place = 0;
  for (const { body } of appended) place = Number(append.run(body).lastInsertRowid);
  if (place % trimEach < appended.length) trim.run(place - trimEach);
  for (const one of applied) apply(one);
  commit.run();
  for (const { response } of appended) {
    response.writeHead(201, { "content-type": "application/json" });
    response.end('{"message":"success"}');
  }
  if (isDue) setImmediate(cycle);
}

function apply({ owner, events }: Waiting): void {
  for (const event of events) {
    const { external_id: name } = event;
    const id = Number(getName.get(owner, name)?.["id"]);
    getName.get(owner, `${name}@example.com`);
    const row = JSON.parse(String(getUser.get(id)?.["body"])) as Record<string, unknown>;
    putUser.run(id, JSON.stringify({ ...row, last: event }));
    putEvent.run(Buffer.from(JSON.stringify({ owner, id })));
  }
}

/** Keys of the bench end with the number of the owner. */
function ownerOf(authorization = ""): number {
  return Number(/(\d+)$/.exec(authorization)?.[1] ?? 0);
}

function fill(): void {
  const each = Math.ceil(Number(users) / Number(owners));
  const body = JSON.stringify({ filler: "x".repeat(rowBytes) });
  for (let owner = 0; owner < Number(owners); owner += 1) {
    begin.run();
    for (let n = 0; n < each; n += 1) {
      const id = owner * each + n;
      putName.run(owner, `user-${n}`, id);
      putName.run(owner, `user-${n}@example.com`, id);
      putUser.run(id, body);
    }
    commit.run();
  }
}
