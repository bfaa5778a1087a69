/** Processes of the profile service in a simulated world: each with a resolver and an applier of every lane, over one log and three replicas. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bucketOfUser, type Numbering } from "../../../platform/user-number.ts";
import { openReplicas, type Replicas } from "../../../platform/cassandra/replicas.fixture.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { FencedSteps } from "../../../platform/log/fenced-step.ts";
import { applyLane, type LaneDeps } from "../apply/apply-lane.ts";
import { createLanePositions } from "../../../platform/lane/lane-positions.ts";
import { type LaneLayout, laneLayout } from "../../../platform/lane/layout.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { createOutgoing } from "../events/outgoing.ts";
import { eventsOf } from "../events/profile-events.ts";
import { laneRows } from "../lanes/lane-message.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import { packItem, packLaneMessage, readLaneMessage } from "../lanes/profile-lane.ts";
import { createUserCache } from "../apply/user-cache.ts";
import type { PureSteps } from "../apply/pure-steps.ts";
import { createGate } from "../../../platform/gate.ts";
import type { StepSizes } from "../resolve/pack-step.ts";
import { resolveToLanes } from "../resolve/publish-steps.ts";
import { createViews } from "../resolve/views.ts";
import { type CassandraProfileStore, openCassandraProfileStore } from "../store/cassandra.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";
import { decodeEntry, resolveAtReceipt } from "./reference.fixture.ts";
import { createStream, type Stream, subjectOf } from "./streams.fixture.ts";
import type { Process, World } from "./world.fixture.ts";

export interface Cluster {
  readonly layout: LaneLayout;
  readonly intake: Stream;
  readonly lanes: Stream;
  readonly replicas: Replicas;
  /** A store that sees what all replicas together have. */
  readonly store: CassandraProfileStore;
  start(): void;
  /** Kills one process at whatever it waits for, and starts another. */
  crash(): void;
  /** Some process becomes slow, or quick again. */
  disturb(): void;
  /** The furthest that any living process got with each lane. */
  applied(lane: number): number;
  /** The last step whose identity rows are written, as living processes know. */
  written(): number;
  /** How far a lane's position is kept. */
  kept(lane: number): number;
  /** The events for others, in the order in which they were kept. */
  readonly events: PublishedEvent[];
}

export interface ClusterOptions {
  readonly steps: PureSteps;
  readonly undoWindowMs: number;
  /** New users get numbers, so their rows live together. */
  readonly numbering?: Numbering | undefined;
  /** A promise that is broken, to see that it is noticed. */
  readonly planted?: Planted | undefined;
  /** Called before each call of a port, which fails where it throws. */
  readonly plant?: Plant;
  /** Absent: entries as `decodeEntry` reads them. */
  readonly decode?: (sequence: number, body: Uint8Array) => IntakeRecord;
}

export type Plant = (call: string, args: readonly unknown[]) => void;

/** The port, whose calls fail where something is planted. */
function plantedIn<Port extends object>(name: string, port: Port, plant: Plant | undefined): Port {
  if (plant === undefined) return port;
  return new Proxy(port, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== "function" || unplantable.has(String(method))) return value;
      return async (...args: unknown[]) => {
        plant(`${name}.${String(method)}`, args);
        return await (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** They only say when to look. */
const unplantable = new Set(["watch", "close"]);

/** The log takes steps from any process; the store confirms what one replica took. */
export type Planted = "no fence" | "no majority";

export const checkpointSubject = "lanes.checkpoint.0";
const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];

export function createCluster(world: World, options: ClusterOptions): Cluster {
  const servers: Servers = {
    layout: laneLayout(1, 2),
    intake: createStream(world),
    lanes: createStream(world, options.planted !== "no fence"),
    replicas: openReplicas({
      schema,
      onWrite: () => writeFault(world, options.planted === "no majority"),
      onRead: () => twoOf(world),
    }),
    sizes: world.chance(0.5) ? { messageBytesMax: 300, stepBytesMax: 700 } : { messageBytesMax: 100_000, stepBytesMax: 1_000_000 },
    events: [],
  };
  const running: Running[] = [];

  function start(): void {
    running.push(startProcess(world, servers, options));
  }

  return {
    ...servers,
    store: openCassandraProfileStore({ session: servers.replicas.session(), clock: world.clock, partitions: 1, bucketOf: bucketOfUser }),
    start,
    crash() {
      const [dead] = running.splice(world.pick(running.length), 1);
      if (dead) dead.process.alive = false;
      start();
    },
    disturb() {
      const process = running[world.pick(running.length)]?.process;
      if (process) process.slow = !process.slow;
    },
    kept: (lane) => Number(Buffer.from(servers.lanes.messages(positionSubject(lane)).at(-1)?.body ?? "0").toString()),
    written: () => Math.max(...running.map(({ written }) => written)),
    applied: (lane) => Math.max(...running.map(({ applied }) => applied[lane] ?? 0)),
  };
}

interface Servers extends Pick<Cluster, "layout" | "intake" | "lanes" | "replicas" | "events"> {
  readonly sizes: StepSizes;
}

interface Running {
  readonly process: Process;
  readonly applied: number[];
  written: number;
}

function startProcess(world: World, servers: Servers, options: ClusterOptions): Running {
  const process = world.process();
  const running: Running = { process, applied: [0, 0], written: 0 };
  const { layout, intake, lanes, replicas, sizes } = servers;
  const { clock } = world;
  const { plant } = options;
  const ports = {
    lanes: plantedIn("lanes", lanes.log(process, layout.partitions), plant),
    steps: plantedIn("steps", lanes.steps(process), plant),
    layout,
    clock,
    trimBytes: world.pick(3) * 1_000,
    logger: silentLogger,
  };
  const session = plantedIn("session", sessionOf(world, process, replicas.session()), plant);
  const tables = openCassandraProfileStore({ session, clock, partitions: 1, bucketOf: bucketOfUser });
  const store = { identities: plantedIn("identities", tables.identities, plant), profiles: plantedIn("profiles", tables.profiles, plant) };
  resolveToLanes({
    ...ports,
    fenced: ports.steps,
    intake: plantedIn("intake", intake.log(process, 1), plant),
    identities: store.identities,
    sizes: () => sizes,
    partition: 0,
    checkpointSubject,
    subjectOf,
    decode: options.decode ?? decodeEntry,
    resolve: resolveAtReceipt,
    views: createViews(),
    packItem,
    encodeConsent: laneRows,
    packItems: packLaneMessage,
    packConsent: packRecords,
    undoWindowMs: options.undoWindowMs,
    numbering: () => options.numbering,
    onWritten: (sequence) => {
      running.written = sequence;
    },
  });
  startAppliers({ world, process, servers, running, ports, store }, options);
  return running;
}

interface Appliers {
  readonly world: World;
  readonly process: Process;
  readonly servers: Servers;
  readonly running: Running;
  readonly ports: Pick<LaneDeps, "lanes" | "layout" | "clock" | "trimBytes" | "logger"> & { readonly steps: FencedSteps };
  readonly store: Pick<CassandraProfileStore, "profiles">;
}

function startAppliers({ world, process, servers, running, ports, store }: Appliers, options: ClusterOptions): void {
  const gate = createGate(1 + world.pick(2));
  const positions = createLanePositions(ports.steps, { nameOf: String, subjectOf: (name) => positionSubject(Number(name)) });
  for (const lane of [0, 1]) {
    const publishing = {
      publish: (events: readonly PublishedEvent[]) =>
        world.call(process, {
          effect: () => void servers.events.push(...events),
          refused: unavailable,
          lost: unknown,
          repeatable: true,
        }),
    };
    const outgoing = createOutgoing(plantedIn("events", publishing, options.plant).publish);
    applyLane({
      ...ports,
      lane,
      gate,
      profiles: store.profiles,
      steps: options.steps,
      positions,
      outgoing,
      eventsOf,
      publish: outgoing.send,
      cache: createUserCache({
        bytesMax: world.pick(4) * 1_000,
        entryBytes: 100,
        rowBytesMax: world.pick(4) * 10_000,
        profileFromRow,
        profileToRow,
      }),
      pack: (items) => packLaneMessage(items.map(packItem)),
      unpack: readLaneMessage,
      onApplied: (position) => {
        running.applied[lane] = position;
      },
    });
  }
}

function positionSubject(lane: number): string {
  return `lanes.checkpoint.lane-${lane}`;
}

function sessionOf(world: World, process: Process, inner: Session): Session {
  const reading = { refused: unavailable, lost: unavailable, repeatable: false };
  const writing = { refused: unavailable, lost: unknown, repeatable: true };
  return {
    execute: (statement) =>
      world.call(process, { effect: () => inner.execute(statement), ...(statement.cql.startsWith("SELECT") ? reading : writing) }),
    batch: (statements) => world.call(process, { effect: () => inner.batch(statements), ...writing }),
    conditional: (statements) => inner.conditional(statements),
    page: (statement, options) => world.call(process, { effect: () => inner.page(statement, options), ...reading }),
    close: () => Promise.resolve(),
  };
}

/** Confirmed by two at least; unknown where fewer took it at once. The rest takes it later. */
function writeFault(world: World, isHasty: boolean): { reached: number[]; later: number[]; answer: "ok" | "unknown" } | undefined {
  if (!world.faulty || world.chance(0.7)) return undefined;
  const [first = 0, second = 1, third = 2] = shuffled(world);
  if (world.chance(0.8)) return { reached: [first, second], later: world.chance(0.5) ? [third] : [], answer: "ok" };
  return { reached: [first], later: world.chance(0.5) ? [second, third] : [], answer: isHasty ? "ok" : "unknown" };
}

function twoOf(world: World): number[] {
  return shuffled(world).slice(0, 2);
}

function shuffled(world: World): number[] {
  const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
  return orders[world.pick(orders.length)] ?? [0, 1, 2];
}

function unavailable(): never {
  throw new Refusal("STORE_UNAVAILABLE");
}

function unknown(): never {
  throw new Refusal("OUTCOME_UNKNOWN");
}
