/** What an operator is shown of records that cannot be applied, and what becomes of them: tried again, or passed over. */
import { expect, test } from "vitest";
import { laneLayout } from "../../platform/lane/layout.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { limits } from "../../platform/limits.ts";
import { applyRecord } from "./domain/profile/apply-records.ts";
import type { DeadLetterId } from "./domain/ports.ts";
import type { LaneItem } from "./domain/resolve/lane-item.ts";
import { lettersToAppend } from "./intake/redriven.ts";
import { encodeRecord } from "./intake/record-message.fixture.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { logOperator, logService } from "./lanes/log-operator.ts";
import { readLaneMessage } from "./lanes/profile-lane.ts";
import { openLogOperation } from "./log-operation.ts";
import { event, testProfiles } from "./profile-service.fixture.ts";
import { openSqliteProfileStore } from "./store/sqlite.ts";

const { open: openTest } = testProfiles();

async function openBlocked() {
  const state = { mended: false };
  const clock = fakeClock();
  const profile = await openTest({
    clock,
    steps: {
      applyRecord(user, record) {
        if (!state.mended && record.change.type === "event" && record.change.name === "bad") throw new Error("planted");
        return applyRecord(user, record);
      },
    },
  });
  await profile.track({ attributes: [{ external_id: "a", color: "red" }], events: [{ ...event("a"), name: "bad" }] });
  await profile.track({ attributes: [{ external_id: "a", color: "blue" }] });
  await profile.track({ attributes: [{ external_id: "b", color: "green" }] });
  await profile.part.settled();
  const log = await openLogOperation(profile.database, { partitions: 1, tail: (partition) => profile.log.tail(partition) });
  return { profile, log, state, clock };
}

test("heddle log status shows who is blocked, at which record and why", async () => {
  const { log } = await openBlocked();
  const status = await log.status();
  expect(status.lags).toEqual([{ lane: "intake-0", records: 0 }]);
  expect(status.blocked).toMatchObject([{ workspaceId: "workspace", reason: "planted", mark: [1, expect.any(Number)] }]);
  expect(status.deadLetters).toEqual([]);
});

test("heddle log show tells what the first record of a held user says, and finds no other", async () => {
  const { log } = await openBlocked();
  const [blocked] = (await log.status()).blocked;
  if (blocked === undefined) throw new Error("Nobody is held");
  const { json, size, first } = await log.show(blocked);
  expect(JSON.parse(json)).toMatchObject({ userId: blocked.userId, mark: blocked.mark, change: { type: "event", name: "bad" } });
  expect(size).toBe(Buffer.byteLength(json));
  expect(Buffer.from(first).toString()).toBe(json.slice(0, limits.shownFirstBytes));
  for (const wrong of [{ ...blocked, userId: "nobody" }, { ...blocked, mark: [2, 0] as const }, { partition: 0, sequence: 1 }]) {
    await expect(log.show(wrong)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  }
});

test("heddle log show tells what a record of the intake says that was set aside, and of what is no record its bytes", async () => {
  const { profile, log } = await openBlocked();
  const body = { type: "removeExternalIds" as const, externalIds: ["a"] };
  const unplaced = encodeRecord({ workspaceId: "", requestId: "req-7", actor: "key", receivedAt: 5, body });
  await profile.log.append(0, unplaced);
  const sequence = await profile.log.append(0, Uint8Array.of(255, 7));
  await profile.part.settled();
  expect((await log.status()).deadLetters).toHaveLength(2);
  const shown = await log.show({ partition: 0, sequence: sequence - 1 });
  expect(JSON.parse(shown.json)).toMatchObject({ origin: { request_id: "req-7" }, remove_external_ids: { external_ids: ["a"] } });
  expect([shown.size, shown.first]).toEqual([unplaced.length, new Uint8Array(unplaced)]);
  expect(await log.show({ partition: 0, sequence })).toEqual({ json: "", size: 2, first: Uint8Array.of(255, 7) });
});

test("heddle log redrive has the server try again: what is mended is applied, in order", async () => {
  const { profile, log, state, clock } = await openBlocked();
  expect(await profile.user("a")).toMatchObject({ custom_attributes: { color: "red" } });
  state.mended = true;
  expect(await log.redrive()).toEqual({ users: 1, records: 0 });
  await expect.poll(async () => {
    clock.advance(limits.askedLookMs);
    return (await log.status()).blocked.length;
  }).toBe(0);
  expect(await profile.user("a")).toMatchObject({ custom_attributes: { color: "blue" }, custom_events: [{ name: "bad", count: 1 }] });
  expect(await log.redrive()).toEqual({ users: 0, records: 0 });
});

test("heddle log skip passes over the one record, and what came after is applied", async () => {
  const { profile, log, clock } = await openBlocked();
  const [blocked] = (await log.status()).blocked;
  if (blocked === undefined) throw new Error("Nobody is held");
  await log.skip(blocked);
  await expect.poll(async () => {
    clock.advance(limits.askedLookMs);
    return (await log.status()).blocked.length;
  }).toBe(0);
  const user = await profile.user("a");
  expect(user).toMatchObject({ custom_attributes: { color: "blue" } });
  expect(user).not.toHaveProperty("custom_events");
  await profile.track({ attributes: [{ external_id: "a", color: "white" }] });
  expect(await profile.user("a")).toMatchObject({ custom_attributes: { color: "white" } });
});

test("heddle log skip passes over nothing that can be applied by then", async () => {
  const { profile, log, state, clock } = await openBlocked();
  const [blocked] = (await log.status()).blocked;
  if (blocked === undefined) throw new Error("Nobody is held");
  await log.skip(blocked);
  state.mended = true;
  await expect.poll(async () => {
    clock.advance(limits.askedLookMs);
    return (await log.status()).blocked.length;
  }).toBe(0);
  expect(await profile.user("a")).toMatchObject({ custom_attributes: { color: "blue" }, custom_events: [{ name: "bad", count: 1 }] });
});

test("heddle log skip refuses a user who is not blocked, and a record that is not the first", async () => {
  const { log } = await openBlocked();
  const [blocked] = (await log.status()).blocked;
  if (blocked === undefined) throw new Error("Nobody is held");
  await expect(log.skip({ ...blocked, userId: "nobody" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await expect(log.skip({ ...blocked, mark: [2, 0] })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
});

test("in the mesh the word goes through the user's lane", async () => {
  const { profile } = await openBlocked();
  const { profiles } = await openSqliteProfileStore({ database: profile.database, encodeLane: laneRows });
  const sent: LaneItem[] = [];
  const lanes = {
    tail: () => Promise.resolve(3),
    append(_: number, body: Uint8Array) {
      sent.push(...readLaneMessage(body).map(({ item }) => item));
      return Promise.resolve(1);
    },
  };
  const lags = () => Promise.resolve([{ lane: "intake-0", records: 3, seconds: 1.5 }]);
  const identities = { forgetSetAside: () => Promise.resolve() };
  const client = directClient(
    LogService,
    logService(logOperator({ profiles, identities, intake: lanes, lanes, layout: laneLayout(1, 2), lags })),
  );
  const status = await client.getStatus({});
  expect(status.lags).toMatchObject([{ lane: "intake-0", records: 3n, seconds: 1.5 }]);
  const [blocked] = status.held;
  expect(blocked).toMatchObject({ workspaceId: "workspace", reason: "planted", sequence: 1n });
  expect(await client.redrive({})).toMatchObject({ users: 1 });
  const { workspaceId = "", userId = "", sequence = 0n, part = 0 } = blocked ?? {};
  const { record } = await client.showRecord({ workspaceId, userId, sequence, part });
  expect(JSON.parse(record?.json ?? "")).toMatchObject({ change: { type: "event", name: "bad" } });
  await expect(client.showRecord({ partition: 0, sequence })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await client.skip({ workspaceId, userId, sequence, part });
  expect(sent).toEqual([{ type: "redrive", userId }, { type: "skip", userId, mark: [1, part] }]);
  await expect(client.skip({ workspaceId, userId: "nobody", sequence, part })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await expect(client.skip({ workspaceId, userId, sequence: 9n, part })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
  expect(sent).toHaveLength(2);
});

const putDeadLetter = "INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (0, ?, 'planted', ?)";

/** A record that this build can read, and that changes nobody. */
function removal(requestId: string): Uint8Array {
  const body = { type: "removeExternalIds" as const, externalIds: ["nobody"] };
  return encodeRecord({ workspaceId: "workspace", requestId, actor: "k", receivedAt: 5, body });
}

/** As many that this build cannot read as are looked at at once, and behind them one that it can. */
async function openCrowded() {
  const { profile, log, clock } = await openBlocked();
  const last = { partition: 0, sequence: 9_000 };
  await profile.database.write(() => {
    const statement = profile.database.prepare(putDeadLetter);
    for (let count = 0; count < limits.heldRedriveMax; count += 1) statement.run(1_000 + count, Uint8Array.of(255));
    statement.run(last.sequence, removal("late"));
  });
  return { profile, log, clock, last };
}

test("dead letters behind those that are looked at at once are listed, shown, tried again and passed over", async () => {
  const { profile, log, clock, last } = await openCrowded();
  const { deadLetters } = await log.status();
  expect(deadLetters).toHaveLength(limits.heldRedriveMax);
  const place = deadLetters.at(-1) ?? last;
  expect(await log.deadLettersBehind(place)).toMatchObject([last]);
  expect(await log.deadLettersBehind(last)).toEqual([]);
  expect(JSON.parse((await log.show(last)).json)).toMatchObject({ origin: { request_id: "late" } });
  expect(await log.redrive()).toMatchObject({ records: 1 });
  await expect.poll(async () => {
    clock.advance(limits.askedLookMs);
    return (await log.deadLettersBehind(place)).length;
  }).toBe(0);
  await profile.part.settled();
  expect(await profile.log.tail(0)).toBe(4);
  await expect(log.skipSetAside(last)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await log.skipSetAside(place);
  expect((await log.status()).deadLetters).toHaveLength(limits.heldRedriveMax - 1);
});

test("in the mesh all of them are reached, too", async () => {
  const { profile, last } = await openCrowded();
  const { profiles } = await openSqliteProfileStore({ database: profile.database, encodeLane: laneRows });
  const appended: number[] = [];
  const forgotten: unknown[] = [];
  const client = directClient(
    LogService,
    logService(logOperator({
      profiles,
      identities: { forgetSetAside: (place) => Promise.resolve(void forgotten.push(place)) },
      intake: { append: (partition) => Promise.resolve(appended.push(partition)), tail: () => Promise.resolve(9_000) },
      lanes: { append: () => Promise.resolve(1) },
      layout: laneLayout(1, 2),
      lags: () => Promise.resolve([]),
    })),
  );
  const first = (await client.getStatus({})).setAside.at(-1);
  const { setAside: deadLetters } = await client.listSetAside({ partition: first?.partition ?? 0, sequence: first?.sequence ?? 0n });
  expect(deadLetters).toMatchObject([{ partition: 0, sequence: 9_000n, reason: "planted" }]);
  expect(await client.redrive({})).toMatchObject({ records: 1 });
  expect([appended, forgotten]).toMatchObject([[0], [last]]);
  await client.skip({ partition: 0, sequence: 9_000n });
  expect(forgotten).toMatchObject([last, last]);
});

test("in the mesh one that is set aside again at once is tried once", async () => {
  const { profile, last } = await openCrowded();
  const { profiles, steps } = await openSqliteProfileStore({ database: profile.database, encodeLane: laneRows });
  let tail = last.sequence;
  const intake = {
    tail: () => Promise.resolve(tail),
    async append(partition: number, body: Uint8Array): Promise<number> {
      tail += 1;
      const put = "INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (?, ?, 'planted again', ?)";
      await profile.database.write(() => profile.database.prepare(put).run(partition, tail, body));
      return tail;
    },
  };
  const deps = {
    profiles,
    identities: steps,
    intake,
    lanes: { append: () => Promise.resolve(1) },
    layout: laneLayout(1, 2),
    lags: () => Promise.resolve([]),
  };
  expect(await logOperator(deps).redrive()).toMatchObject({ records: 1 });
  expect(await profiles.listSetAside(2, last)).toMatchObject([{ sequence: last.sequence + 1 }]);
});

test("of very many dead letters of a partition no more are read than are tried", async () => {
  const looks: number[] = [];
  const body = removal("r");
  const profiles = {
    listSetAside(max: number, after?: { readonly partition: number; readonly sequence: number }) {
      const { partition, sequence } = after ?? { partition: 0, sequence: -1 };
      looks.push(partition);
      if (partition > 1) return Promise.resolve([]);
      return Promise.resolve(Array.from({ length: max }, (_, at) => ({ partition, sequence: sequence + 1 + at, reason: "" })));
    },
    loadDeadLetter: (place: DeadLetterId) => Promise.resolve({ ...place, reason: "", body }),
  };
  const records = await Array.fromAsync(lettersToAppend(profiles));
  expect(records).toHaveLength(2 * limits.heldRedriveMax);
  expect(looks.filter((partition) => partition === 0).length).toBeLessThan(5);
});

test("heddle log skip of a dead letter or of a blocked user's record tries no other dead letter", async () => {
  const { profile, log, clock } = await openBlocked();
  const body = removal("r");
  await profile.database.write(() => {
    for (const sequence of [17, 18]) profile.database.prepare(putDeadLetter).run(sequence, body);
  });
  await log.skipSetAside({ partition: 0, sequence: 17 });
  const [blocked] = (await log.status()).blocked;
  if (blocked === undefined) throw new Error("Nobody is held");
  await log.skip(blocked);
  await expect.poll(async () => {
    clock.advance(limits.askedLookMs);
    return [(await log.status()).blocked.length, profile.part.backlog().deadLetters];
  }).toEqual([0, 1]);
  expect((await log.status()).deadLetters).toMatchObject([{ sequence: 18 }]);
  expect(await profile.log.tail(0)).toBe(3);
});
