/** Appliers of one lane, whatever they write, lose and repeat: states, lists, ledger and events are those of an undisturbed one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { type ApplierFaults, brokenOff, chances, dice, recordPublished, stubborn } from "../../consent/lane/appliers.fixture.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { EmailMark, EmailStatus, StatusRecordSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { openCassandraStatusStore } from "../store/cassandra.ts";
import { applyRecord } from "../domain/apply-record.ts";
import { applyMessages } from "./apply-messages.ts";
import { statusMessages } from "./lane-message.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
const status = fc.constantFrom(EmailStatus.OPTED_IN, EmailStatus.SUBSCRIBED, EmailStatus.UNSUBSCRIBED);
const mark = fc.constantFrom(
  EmailMark.BLOCKLISTED,
  EmailMark.HARD_BOUNCED,
  EmailMark.SPAM,
  EmailMark.BOUNCE_REMOVED,
  EmailMark.SPAM_REMOVED,
);
const change = fc.oneof(
  fc.record({ status, carried: fc.boolean() }).map((value) => ({ case: "setEmailStatus" as const, value })),
  mark.map((one) => ({ case: "markEmail" as const, value: { mark: one } })),
);
const records = fc.array(fc.record({ address: fc.constantFrom("a@b.org", "c@b.org", "d@b.org"), change }), {
  minLength: 4,
  maxLength: 30,
  size: "max",
});

/** Requests of their own, or one that says all, with more parts before than an age has places. */
type Requests = "many" | "one";
const requests = fc.constantFrom<Requests>("many", "one");

function laneOf(all: readonly { readonly address: string; readonly change: object }[], of: Requests = "many"): LaneBody[] {
  return all.map(({ address, change }, at) => {
    const sequence = at + 1;
    const place = of === "many" ? { sequence: BigInt(sequence), part: 0 } : { sequence: 1n, part: 999_990 + at };
    const cause = { ...place, at: BigInt(sequence), requestId: `r${sequence}`, actor: "k" };
    const message = create(StatusRecordSchema, { workspaceId: "w", address, cause, change: change as never });
    return { body: toBinary(StatusRecordSchema, message), place: [sequence, 0] };
  });
}

function openWorld(
  faults: ApplierFaults & { readonly applyRecord?: typeof applyRecord } = {},
) {
  const replicas = openReplicas({ schema, ...(faults.write && { onWrite: faults.write }) });
  const store = openCassandraStatusStore(recordingSession(schema, replicas.session()), fakeClock());
  const { published, publish } = recordPublished(faults);
  const deps = {
    ...store,
    ...(faults.applyRecord && { applyRecord: faults.applyRecord }),
    logger: silentLogger,
    traced: { lane: "messaging-status-0" },
    publish,
  };
  return { replicas, store, published, apply: (bodies: readonly LaneBody[]) => applyMessages(deps, bodies) };
}

async function undisturbed(bodies: readonly LaneBody[]) {
  const world = openWorld();
  for (const body of bodies) await world.apply([body]);
  return { rows: rowsOf(world), published: [...world.published.keys()].sort() };
}

/** Years stay listed once an address came on a list in them, also where that was taken back before it was durable. */
function rowsOf({ replicas }: ReturnType<typeof openWorld>) {
  return (replicas.dump() as [string, unknown][]).filter(([key]) => !key.startsWith("years_by_list"));
}

test("applyMessages() stopped before or after any write or publishing, and begun again: the same states, each event once in effect", async () => {
  await fc.assert(
    fc.asyncProperty(records, chances, requests, async (all, numbers, of) => {
      const bodies = laneOf(all, of);
      const next = dice(numbers);
      const world = openWorld(brokenOff(next));
      await stubborn(world, bodies, next);
      const expected = await undisturbed(bodies);
      expect(rowsOf(world)).toEqual(expected.rows);
      expect([...world.published.keys()].sort()).toEqual(expected.published);
      expect(await world.store.verify("w")).toMatchObject({ damage: undefined });
    }),
    { numRuns: 150 },
  );
});

test("applyMessages() holds back the address of a record whose pure step throws, and tries it again where that is asked for", async () => {
  const state = { mended: false };
  const world = openWorld({
    applyRecord(address, record) {
      const changes = applyRecord(address, record);
      if (record.mark[0] === 2 && !state.mended) throw new Error("planted");
      return changes;
    },
  });
  const set = (address: string, status: EmailStatus) => ({
    address,
    change: { case: "setEmailStatus", value: { status, carried: false } },
  });
  const bodies = laneOf([
    set("a@b.org", EmailStatus.SUBSCRIBED),
    set("a@b.org", EmailStatus.UNSUBSCRIBED),
    set("c@b.org", EmailStatus.UNSUBSCRIBED),
    set("a@b.org", EmailStatus.OPTED_IN),
    set("c@b.org", EmailStatus.OPTED_IN),
  ]);
  const states = async () => {
    const loaded = await world.store.store.load("w", ["a@b.org", "c@b.org"]);
    return ["a@b.org", "c@b.org"].map((address) => loaded.get(address)?.status);
  };
  const redriven = (key: string): LaneBody => ({ body: statusMessages.redriveBody("w", { keys: [key], skipped: [] }), place: [99, 0] });
  await world.apply(bodies.slice(0, 3));
  await world.apply(bodies.slice(3));
  expect(await states()).toEqual(["subscribed", "opted_in"]);
  expect((await world.store.listSetAside(10)).map(({ record: { sequence, key } }) => [sequence, key])).toEqual([[2, "a@b.org"], [
    4,
    "a@b.org",
  ]]);
  state.mended = true;
  await world.apply([redriven("c@b.org")]);
  expect(await world.store.listSetAside(10)).toHaveLength(2);
  for (let times = 0; times < 2; times += 1) await world.apply([redriven("a@b.org")]);
  expect(await world.store.listSetAside(10)).toEqual([]);
  expect(await states()).toEqual(["opted_in", "opted_in"]);
  expect([...world.published.keys()].sort()).toEqual((await undisturbed(bodies)).published);
});
