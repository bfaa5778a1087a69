/** The two services of consent in both shapes, each call of whose ports may throw: for tests of what stands in whose way then. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { openReplicas } from "../platform/cassandra/replicas.fixture.ts";
import { recordingSession } from "../platform/cassandra/recording-session.fixture.ts";
import type { Session } from "../platform/cassandra/session.ts";
import type { Clock } from "../platform/clock.ts";
import { fakeClock } from "../platform/clock.fixture.ts";
import { recordPublished } from "../services/consent/lane/appliers.fixture.ts";
import { createGate } from "../platform/gate.ts";
import type { DeadLetter } from "../platform/lane/lane.ts";
import { startLaneApplier } from "../services/consent/lane/lane-applier.ts";
import type { LaneBody } from "../services/consent/engine/lane-message.ts";
import type { ConcernOf } from "../services/consent/lane/lane-window.ts";
import type { LogRecord } from "../platform/log/log.ts";
import { packRecords } from "../platform/log/packed-records.ts";
import type { LedgerEntry } from "../platform/ledger/ledger.ts";
import { silentLogger } from "../platform/logger.ts";
import type { Database } from "../platform/sqlite/database.ts";
import * as lane from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MembershipStatus } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import * as status from "../services/messaging-status/lanes/lane-message.ts";
import { applyMessages as applyStatuses } from "../services/messaging-status/lanes/apply-messages.ts";
import { openCassandraStatusStore } from "../services/messaging-status/store/cassandra.ts";
import * as membership from "../services/subscription/lanes/lane-message.ts";
import { applyMessages as applyMemberships } from "../services/subscription/lanes/apply-messages.ts";
import { inSomeBuckets } from "../services/subscription/store/buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "../services/subscription/store/cassandra.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

/** Called before each call of a port, which fails where it throws. */
export type Plant = (call: string, given: readonly unknown[]) => void;

export interface ConsentWorld {
  /** What is planted now. */
  plant: Plant;
  /** Sends two changes of each: the last says that it is whole. */
  send(names: readonly string[]): Promise<void>;
  /** Everything that was sent is applied or waits for a human. */
  settle(): Promise<void>;
  /** Those whose state is as the last change says. */
  whole(names: readonly string[]): Promise<string[]>;
  /** The texts by which calls speak of one, once something was sent of it. */
  called(name: string): Promise<string[]>;
  /** Whose records wait, as `called` names them. */
  waiting(): Promise<string[]>;
  redrive(): Promise<void>;
  /** Passes over the first of those that wait. */
  skip(): Promise<void>;
  close(): Promise<void>;
}

function nothingPlanted(): void {}

interface MeshService {
  readonly schema: string;
  readonly concernOf: ConcernOf;
  open(session: Session): MeshTables;
  body(name: string, sequence: number, isLast: boolean): Uint8Array;
  redriveBody(asked: { readonly keys: readonly string[]; readonly skipped: readonly DeadLetter["record"][] }): Uint8Array;
}

interface MeshTables {
  apply(bodies: readonly LaneBody[], publish: (workspaceId: string, entries: readonly LedgerEntry[]) => Promise<void>): Promise<void>;
  isWhole(name: string): Promise<boolean>;
  listSetAside(max: number): Promise<DeadLetter[]>;
}

const applying = { logger: silentLogger, traced: { lane: "lane" } };
const group = "g";

const memberships: MeshService = {
  schema: "../services/subscription/store/schema/schema.cql",
  concernOf: membership.membershipMessages.concernOf,
  open(session) {
    const tables = openCassandraSubscriptionStore(session, inSomeBuckets);
    return {
      ...tables,
      apply: (bodies, publish) => applyMemberships({ ...tables, ...applying, publish }, bodies),
      isWhole: async (name) => (await tables.store.load("w", [name])).get(name)?.groups.get(group) === "unsubscribed",
    };
  },
  body(userId, sequence, isLast) {
    const state = isLast ? lane.SubscriptionState.UNSUBSCRIBED : lane.SubscriptionState.SUBSCRIBED;
    const change = { case: "setMembership" as const, value: { subscriptionGroupId: group, state } };
    const record = { workspaceId: "w", userId, cause: causeAt(sequence), change };
    return toBinary(lane.SubscriptionRecordSchema, create(lane.SubscriptionRecordSchema, record));
  },
  redriveBody: (asked) => membership.membershipMessages.redriveBody("w", asked),
};

const statuses: MeshService = {
  schema: "../services/messaging-status/store/schema/schema.cql",
  concernOf: status.statusMessages.concernOf,
  open(session) {
    const tables = openCassandraStatusStore(session, fakeClock());
    return {
      ...tables,
      apply: (bodies, publish) => applyStatuses({ ...tables, ...applying, publish }, bodies),
      isWhole: async (name) => (await tables.store.load("w", [name])).get(name)?.status === "opted_in",
    };
  },
  body(address, sequence, isLast) {
    const to = isLast ? lane.EmailStatus.OPTED_IN : lane.EmailStatus.UNSUBSCRIBED;
    const change = { case: "setEmailStatus" as const, value: { status: to, carried: false } };
    const record = { workspaceId: "w", address, cause: causeAt(sequence), change };
    return toBinary(lane.StatusRecordSchema, create(lane.StatusRecordSchema, record));
  },
  redriveBody: (asked) => status.statusMessages.redriveBody("w", asked),
};

function causeAt(sequence: number) {
  return { sequence: BigInt(sequence), part: 0, at: BigInt(sequence), requestId: `r${sequence}`, actor: "k" };
}

/** An applier of one lane over a log in memory and Cassandra in memory. */
export async function openMeshWorld(of: "subscription" | "messaging-status"): Promise<ConsentWorld> {
  const service = of === "subscription" ? memberships : statuses;
  const schema = [readFileSync(join(import.meta.dirname, service.schema), "utf8")];
  const session = recordingSession(schema, openReplicas({ schema }).session());
  const calm = service.open(session);
  const clock = fakeClock();
  const applier = startPlanted(service, { session, clock, plant: (...call) => world.plant(...call) });
  let sequence = 0;
  async function ask(skipped: readonly DeadLetter["record"][]): Promise<void> {
    const keys = (await calm.listSetAside(100)).map(({ record }) => record.key);
    applier.append([service.redriveBody({ keys: [...new Set(keys)], skipped })]);
    await world.settle();
  }
  const world: ConsentWorld = {
    plant: nothingPlanted,
    send(names) {
      for (const isLast of [false, true]) applier.append(names.map((name) => service.body(name, ++sequence, isLast)));
      return Promise.resolve();
    },
    async settle() {
      for (let turns = 0; !applier.isThrough(); turns += 1) {
        if (turns > 100_000) throw new Error(`Expected the lane to get on, got ${applier.trouble() ?? "nothing"}`);
        await setImmediate();
        clock.advance(100);
      }
    },
    async whole(names) {
      const found = await Promise.all(names.map(async (name) => await calm.isWhole(name) ? [name] : []));
      return found.flat();
    },
    called: (name) => Promise.resolve([name]),
    waiting: async () => (await calm.listSetAside(100)).map(({ record }) => record.key),
    redrive: () => ask([]),
    skip: async () => ask((await calm.listSetAside(1)).map(({ record }) => record)),
    close: applier.close,
  };
  if (of === "subscription") applier.append([declaredBody(++sequence)]);
  await world.settle();
  return world;
}

interface PlantedParts {
  readonly session: Session;
  readonly clock: Clock;
  readonly plant: Plant;
}

function startPlanted(service: MeshService, { session, clock, plant }: PlantedParts) {
  const messages: LogRecord[] = [];
  const tables = service.open(plantedIn("session", session, plant));
  const events = plantedIn("events", { publish: recordPublished({}).publish }, plant);
  let kept = 0;
  let wake = (): void => {};
  const reading = startLaneApplier({
    lane: 0,
    clock,
    logger: silentLogger,
    gate: createGate(1),
    room: { users: 0, bytes: 0 },
    concernOf: service.concernOf,
    trimBytes: 1,
    lanes: {
      ...plantedIn("lanes", {
        read: (_: number, after: number) => Promise.resolve(messages.filter(({ sequence }) => sequence > after)),
        trim: () => Promise.resolve(),
      }, plant),
      watch(listener) {
        wake = () => listener(0);
        return () => {};
      },
    },
    positions: plantedIn("positions", {
      load: () => Promise.resolve(kept),
      save: (_: number, position: number) => Promise.resolve((kept = position) > 0),
      trim: () => Promise.resolve(),
    }, plant),
    apply: (bodies) => tables.apply(bodies, events.publish),
    onApplied: () => {},
  });
  return {
    trouble: reading.trouble,
    close: reading.close,
    isThrough: () => kept >= messages.length,
    append(bodies: readonly Uint8Array[]): void {
      messages.push({ sequence: messages.length + 1, body: packRecords([...bodies]), isNext: true });
      wake();
    },
  };
}

function declaredBody(sequence: number): Uint8Array {
  const change = { case: "declare" as const, value: { groups: [{ id: group, name: "G", channel: "email" }], prune: false } };
  const record = { workspaceId: "w", cause: causeAt(sequence), change: { case: "changeGroups" as const, value: { change } } };
  return toBinary(lane.SubscriptionRecordSchema, create(lane.SubscriptionRecordSchema, record));
}

function plantedIn<Port extends object>(name: string, port: Port, plant: Plant): Port {
  return new Proxy(port, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        plant(`${name}.${String(method)}`, args);
        return await (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** Statements of both services that fail before they run; all else of the process goes well. */
function plantedDatabase(database: Database, plant: Plant): Database {
  return {
    write: (work, options) => database.write(work, options),
    handle: database.handle,
    durable: () => database.durable(),
    close: () => database.close(),
    prepare(sql) {
      return new Proxy(database.prepare(sql), {
        get(target, method) {
          const value: unknown = Reflect.get(target, method);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            plant(sql, args);
            return (value as (...given: unknown[]) => unknown).apply(target, args);
          };
        },
      });
    },
  };
}

/** Both services in one process, behind the profile service: what a user's request says goes to both. */
export async function openEmbeddedWorld(): Promise<ConsentWorld> {
  const planted: { world?: ConsentWorld } = {};
  const parts = await openConsentParts((database) => plantedDatabase(database, (...call) => planted.world?.plant(...call)));
  async function calmly<T>(work: () => Promise<T>): Promise<T> {
    const { plant } = world;
    world.plant = nothingPlanted;
    try {
      return await work();
    } finally {
      world.plant = plant;
    }
  }
  const services = [parts.subscription, parts.messagingStatus];
  const world: ConsentWorld = {
    plant: nothingPlanted,
    async send(names) {
      for (const isLast of [false, true]) {
        await parts.track(names.map((name) => ({
          external_id: name,
          email: `${name}@b.org`,
          email_subscribe: isLast ? "opted_in" : "unsubscribed",
          subscription_groups: [{ subscription_group_id: "letter", subscription_state: isLast ? "unsubscribed" : "subscribed" }],
        })));
      }
    },
    async settle() {
      const done = parts.settled().then(() => "done");
      while (await Promise.race([done, setImmediate("goes on")]) !== "done") parts.clock.advance(100);
    },
    whole: (names) => calmly(() => wholeIn(parts, names)),
    called: (name) =>
      calmly(async () => {
        const { keys } = await parts.profile.resolveUsers({ scope, users: [externalId(name)] });
        return [keys[0]?.users[0]?.userId ?? "", `${name}@b.org`];
      }),
    waiting: () =>
      calmly(async () => {
        const memberships = await parts.subscription.listSetAside({});
        const statuses = await parts.messagingStatus.listSetAside({});
        return [...memberships.records, ...statuses.records].map(({ key }) => key);
      }),
    async redrive() {
      // An operator sees what fails, and asks again
      for (const service of services) await service.redriveSetAside({}).catch(() => {});
      await world.settle();
    },
    async skip() {
      for (const service of services) {
        const { records: [first] } = await calmly<{ records: { sequence: bigint; part: number }[] }>(() => service.listSetAside({}));
        if (first !== undefined) await service.skipSetAside({ workspaceId: "w", sequence: first.sequence, part: first.part });
      }
      await world.settle();
    },
    close: () => parts.close(),
  };
  planted.world = world;
  return world;
}

const externalId = (value: string) => ({ key: { case: "externalId" as const, value } });

async function wholeIn({ subscription, messagingStatus }: ConsentParts, names: readonly string[]): Promise<string[]> {
  const users = names.map(externalId);
  const groups = await subscription.getStatus({ scope, subscriptionGroupId: "letter", users });
  const emails = await messagingStatus.getEmailStates({ scope, emails: names.map((name) => `${name}@b.org`) });
  return names.filter((_, at) => {
    return groups.statuses[at] === MembershipStatus.UNSUBSCRIBED && emails.states[at]?.status === lane.EmailStatus.OPTED_IN;
  });
}
