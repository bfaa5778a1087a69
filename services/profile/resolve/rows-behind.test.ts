/** The rows of a step are written while the next one is resolved: that knows them all the same, and none is lost. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Refusal } from "../../../platform/refusal.ts";
import { bodyOf, byId, event } from "../domain/resolve/resolver-workspace.fixture.ts";
import { resolveBatch } from "../domain/resolve/batch.ts";
import { readLaneMessage } from "../lanes/profile-lane.ts";
import { checkpointSubject, createServers, layout, resolveAll, type Servers } from "./lone-resolver.fixture.ts";
import { createViews } from "./views.ts";

const about = (id: string) => bodyOf([event(byId(id))]);

/** Whom the records in the lane of profiles are about, by the place of the request. */
function usersOf(servers: Servers): Map<number, Set<string>> {
  const items = servers.of(`lane.${layout.profile(0)}`).flatMap(({ body }) => readLaneMessage(body));
  const users = new Map<number, Set<string>>();
  for (const { item } of items) {
    if (item.type !== "record") continue;
    const { mark: [sequence], userId } = item.record;
    users.set(sequence, (users.get(sequence) ?? new Set()).add(userId));
  }
  return users;
}

/** A store that has the rows of one write when it is let, and all others at once. */
function slowStore(slow = 1) {
  const writes: (() => void)[] = [];
  let count = 0;
  return {
    writes,
    save(write: () => void): Promise<void> {
      count += 1;
      if (count !== slow) return Promise.resolve(write());
      const written = Promise.withResolvers<void>();
      writes.push(() => {
        write();
        written.resolve();
      });
      return written.promise;
    },
  };
}

test("the next step knows a user whose rows are on the way, though memory has room for nobody, and goes out when the store has them", async () => {
  const servers = createServers([about("ann")]);
  const store = slowStore();
  let resolved = 0;
  const running = resolveAll(servers, {
    save: store.save,
    views: createViews(1, 0),
    resolve(view, records, options) {
      const resolution = resolveBatch(view, records, options);
      resolved += resolution.resolved.length;
      return resolution;
    },
    isDone: () => servers.place().through === 2,
  });
  await expect.poll(() => store.writes.length).toBe(1);
  servers.add(about("ann"));
  servers.wake();
  await expect.poll(() => resolved).toBe(2);
  expect([servers.of(checkpointSubject).length, servers.rows.size]).toEqual([1, 0]);
  store.writes[0]?.();
  await running;
  const [first, second] = [...usersOf(servers).values()];
  expect(second).toEqual(first);
  expect(servers.rows.has("x:ann")).toBe(true);
});

test.each([
  ["the store is away", new Refusal("STORE_UNAVAILABLE", "Cassandra is away"), 2],
  ["the store does not take them", new Error("Too long"), 2],
  ["the store is away, and nothing comes behind them", new Refusal("STORE_UNAVAILABLE", "Cassandra is away"), 1],
])(
  "where rows are not written as %s, they are before anything else is resolved, and no record is passed over",
  async (_, error, records) => {
    const servers = createServers([about("ann")]);
    let failures = 2;
    await resolveAll(servers, {
      async save(write) {
        if (servers.intake.length < records) {
          servers.add(about("ann"));
          servers.wake();
        }
        // The resolver rests by then
        await setImmediate();
        failures -= 1;
        if (failures >= 0) throw error;
        write();
      },
      isDone: () => servers.place().through === records && servers.rows.has("x:ann"),
    });
    const [users, ...others] = [...usersOf(servers).values()];
    for (const same of others) expect(same).toEqual(users);
    expect([failures < 0, servers.setAside]).toEqual([true, []]);
  },
);

test("where another resolver went on before rows were found not to be written, what is in memory counts no more", async () => {
  const servers = createServers([about("ann")]);
  let isFirst = true;
  await resolveAll(servers, {
    async save(write) {
      if (isFirst) {
        isFirst = false;
        await rested();
        servers.add({ type: "deleteUsers", users: [{ key: byId("ann"), prioritization: [] }] });
        await resolveAll(servers, {});
        servers.add(about("ann"));
        throw new Error("Not in time");
      }
      write();
    },
    isDone: () => servers.place().through === 3,
  });
  const users = usersOf(servers);
  expect(users.get(2)).toEqual(users.get(1));
  expect(users.get(3)).not.toEqual(users.get(1));
});

test("the rows of the latest step stay in the log until they are written, and nothing is closed before they are", async () => {
  const servers = createServers([about("ann")]);
  const store = slowStore(2);
  const running = resolveAll(servers, {
    save(write) {
      // Comes before the loop rests
      if (servers.intake.length === 1) servers.add(about("bob"));
      return store.save(write);
    },
    isDone: () => store.writes.length === 1,
  });
  await expect.poll(() => store.writes.length).toBe(1);
  await rested();
  expect([servers.left("intake", servers.intake, 0).length, rowsLeft(servers).length]).toEqual([1, 1]);
  const order: string[] = [];
  const closed = running.then(() => order.push("closed"));
  await expect.poll(() => servers.isWatched).toBe(false);
  await rested();
  order.push("written");
  store.writes[0]?.();
  await closed;
  expect(order).toEqual(["written", "closed"]);
});

test("what is resolved counts for the trim of the intake, however little of it goes out", async () => {
  const servers = createServers([about("ann")]);
  const toNobody = bodyOf([{ ...event(byId("nobody")), updateOnly: true, properties: { text: "x".repeat(10_000) } }]);
  const left = () => servers.left("intake", servers.intake, 0).length;
  await resolveAll(servers, {
    trimBytes: 5_000,
    isDone() {
      if (left() === 0 && servers.intake.length === 1) {
        servers.add(toNobody);
        servers.wake();
      }
      return left() === 0 && servers.intake.length === 2;
    },
  });
  expect(servers.place().through).toBe(2);
});

test("a resolver with nothing to do waits for no trim: what comes meanwhile is resolved, and a trim that fails is no failure of it", async () => {
  const servers = createServers([about("ann")]);
  const trims: PromiseWithResolvers<void>[] = [];
  const running = resolveAll(servers, {
    trim() {
      const trim = Promise.withResolvers<void>();
      trims.push(trim);
      return trim.promise;
    },
    isDone: () => servers.place().through === 2,
  });
  await expect.poll(() => trims.length).toBe(1);
  await rested();
  servers.add(about("bob"));
  servers.wake();
  await expect.poll(() => servers.place().through).toBe(2);
  trims[0]?.reject(new Error("planted"));
  expect(await running).toBeUndefined();
});

test("a record that was resolved after all has no dead letter, where the step that passed it over did not go out", async () => {
  const servers = createServers([about("ann")]);
  const left = { load: 1, publishStep: 1 };
  const written: number[] = [];
  await resolveAll(servers, {
    plant(call) {
      if (left[call] === 0) return;
      left[call] -= 1;
      written.push(servers.setAside.length);
      throw call === "load" ? new TypeError("planted") : new Refusal("LOG_FULL");
    },
    isDone: () => servers.place().through === 1 && servers.setAside.length === 0,
  });
  expect(written).toEqual([0, 1]);
  expect([...usersOf(servers).keys()]).toEqual([1]);
});

/** All that a loop does by itself is done. */
async function rested(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
}

function rowsLeft(servers: Servers) {
  const rows = `lane.${layout.rows(0)}`;
  return servers.left(rows, servers.of(rows), 0);
}
