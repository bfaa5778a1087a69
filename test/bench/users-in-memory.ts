/** `node --expose-gc test/bench/users-in-memory.ts`: bytes of heap that a user takes as an object and as rows of identities, CPU to make it of its row, and a whole collection. */
import { createIdentities } from "../../services/profile/domain/identity/identities.ts";
import type { IdentityKey } from "../../services/profile/domain/identity/identity.ts";
import { externalIdKey, userRowKey } from "../../services/profile/domain/identity/user-names.ts";
import { profileFromRow, profileToRow } from "../../services/profile/store/rows.ts";

const users = 50_000;
const { gc } = globalThis;
if (gc === undefined) throw new Error("Run it with --expose-gc");

const row = profileToRow(profileFromRow(JSON.stringify({
  v: 1,
  id: idOf(0),
  mark: [100, 1],
  created: 1,
  updated: 2,
  externalId: "user-1",
  email: "user-1@example.com",
  fields: [["first_name", "Ann"], ["country", "DE"]],
  custom: [["likes_tea", true], ["points", 5], ["plan", "pro"]],
  events: [["bought", 1, 2, 5, [20_000, 3, 20_001, 2]]],
  from: [[3, null, 3], [1, 1], [1, 1, 1]],
})));
measure("a profile", () => profileFromRow(row));
const view = createIdentities("ws_bench");
measure("identities of a user", (n) => {
  const names = { externalId: `user-${n}`, deprecatedIds: [], aliases: [], email: `user-${n}@example.com`, phone: null, merges: [] };
  const [user, name] = [userRowKey(idOf(n)), externalIdKey(names.externalId)];
  view.load([user, name], new Map<IdentityKey, unknown>([[user, JSON.parse(JSON.stringify({ id: idOf(n), ...names }))], [name, idOf(n)]]));
  return undefined;
});

function measure(what: string, make: (n: number) => unknown): void {
  const made: unknown[] = [];
  gc?.();
  const before = process.memoryUsage().heapUsed;
  const began = process.cpuUsage();
  for (let n = 0; n < users; n += 1) made.push(make(n));
  const { user, system } = process.cpuUsage(began);
  gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / made.length;
  const start = performance.now();
  gc?.();
  const collection = performance.now() - start;
  console.log(
    `${what}: ${bytes.toFixed(0)} bytes, ${((user + system) / users).toFixed(1)} us; a whole collection ${collection.toFixed(0)} ms`,
  );
}

function idOf(n: number): string {
  return n.toString(16).padStart(24, "0");
}
