/**
 * What a load takes: cores by process, what is full first, disk and logs. Arithmetic alone, from costs that the bench measured; docs/capacity.md says
 * how each of them is measured again.
 */

import { streamBounds } from "../../platform/mesh-config.ts";

/** What is asked for. */
export interface Load {
  /** A second at the peak, of all workspaces. */
  readonly requests: number;
  /** Of each request. */
  readonly objects: number;
  readonly users: number;
  readonly workspaces: number;
  /** Which part of all objects the largest workspace sends, 0 to 1. */
  readonly largest: number;
  /** Which part of the objects names a user who is new, 0 to 1. */
  readonly newUsers: number;
  /** Bytes of a user's row. */
  readonly rowBytes: number;
  /** Of each row and each message. */
  readonly copies: number;
  readonly coresEach: number;
  /** How long the log takes writes while nothing can be applied, in minutes. */
  readonly outageMinutes: number;
  /** Of a machine of its own: what `npm run bench` says of its first floor there, in microseconds an object. */
  readonly floorUs: number;
}

/** Microseconds of CPU an object, at 75 objects a request and at one. */
interface Cost {
  readonly at75: number;
  readonly at1: number;
}

/** `node test/bench/table.ts`, 100,000 users, the middle of three rounds, on a machine on which node:http parses 75 objects at `floorUs` each. */
export const measured = {
  floorUs: 1.7,
  oneProcess: { at75: 25.4, at1: 119 },
  mesh: {
    gateway: { at75: 7, at1: 213 },
    profile: { at75: 39.8, at1: 231 },
    "subscription and messaging-status": { at75: 1.3, at1: 14.7 },
    NATS: { at75: 12.3, at1: 207 },
    /** Flush and compaction of what 75 objects a request wrote are in it. */
    Cassandra: { at75: 27.7, at1: 185 },
    Redis: { at75: 1, at1: 40 },
  } satisfies Record<string, Cost>,
  /** `node test/bench/resolver.ts`: all that one workspace's resolver does for an object. */
  resolver: { known: { at75: 9.4, at1: 13 }, newUser: 19.3 },
  /** Bytes an object: the greater of what the two programs print. */
  intakeBytes: 222,
  laneBytes: 278,
  eventBytes: 57,
  /** A stream of a server that syncs each message, those of 75 objects: bytes a second of one leader. */
  streamBytes: 50e6,
} as const;

/** Servers that keep as many copies as are asked for, and do the work of each. */
const copied: ReadonlySet<string> = new Set(["NATS", "Cassandra"]);
/** How busy a core may be at the peak, so that answers stay quick and a machine may be away. */
const busyMax = 0.6;
/** Rows of a bucket: docs/decisions/0052. */
const bucketUsers = 8_192;
/** What compaction needs beside the rows, and how often it writes a row again: Cassandra's own advice for leveled and unified compaction. */
const [compactionRoom, compactionWrites] = [1.5, 5];
const second = 1e6;

interface Bound {
  readonly name: string;
  /** Which part of it is used; above 1 it does not suffice. */
  readonly used: number;
  readonly text: string;
}

export interface Capacity {
  readonly objectsPerSecond: number;
  readonly oneProcess: { readonly cores: number; readonly suffices: boolean; readonly diskBytes: number };
  readonly mesh: {
    /** At the peak, and machines' cores that leave room. */
    readonly cores: Readonly<Record<string, number>>;
    readonly coresBusy: number;
    readonly machines: number;
    readonly processes: { readonly gateway: number; readonly profile: number };
    readonly partitions: number;
    readonly lanes: number;
  };
  /** Of the mesh: what is full first stands first. */
  readonly bounds: readonly Bound[];
  readonly disk: {
    readonly buckets: number;
    readonly bucketBytes: number;
    readonly nodes: number;
    readonly cassandraBytesEach: number;
    readonly compactionBytesPerSecondEach: number;
    readonly logMegabytes: number;
    /** How long a log of that size takes writes while nothing can be applied. */
    readonly logMinutes: number;
    readonly natsBytesPerSecondEach: number;
    readonly eventBytesPerHour: number;
  };
}

export function capacityOf(load: Load): Capacity {
  const objectsPerSecond = load.requests * load.objects;
  const slower = load.floorUs / measured.floorUs;
  function coresFor(cost: Cost): number {
    return (objectsPerSecond * perObject(cost, load.objects) * slower) / second;
  }
  const cores = Object.fromEntries(
    Object.entries(measured.mesh).map(([name, cost]) => [name, coresFor(cost) * (copied.has(name) ? load.copies : 1)]),
  );
  const coresBusy = Object.values(cores).reduce((sum, one) => sum + one, 0);
  const one = coresFor(measured.oneProcess);
  const resolvers = (objectsPerSecond * resolverUs(load) * slower) / second;
  const processes = { gateway: processesFor(cores["gateway"]), profile: processesFor(cores["profile"]) };
  // Each lane is applied by one process at a time: four to a core leave room to share them out
  const wanted = { partitions: (2 * resolvers) / busyMax, lanes: 4 * processes.profile };
  return {
    objectsPerSecond,
    oneProcess: { cores: one, suffices: one <= busyMax, diskBytes: load.users * load.rowBytes * 2 },
    mesh: {
      cores,
      coresBusy,
      // With three copies the servers are three machines, whatever they have to do
      machines: Math.max(load.copies, Math.ceil(coresBusy / busyMax / load.coresEach)),
      processes,
      partitions: Math.min(Math.max(4, powerAbove(wanted.partitions)), streamBounds.partitions.max),
      lanes: Math.min(Math.max(64, powerAbove(wanted.lanes)), streamBounds.lanes.max),
    },
    bounds: [...boundsOf(load, { objectsPerSecond, slower, redis: cores["Redis"] ?? 0 }), ...settingsOf(load, wanted)]
      .toSorted((a, b) => b.used - a.used),
    disk: diskOf(load, { objectsPerSecond, cassandraCores: cores["Cassandra"] ?? 0 }),
  };
}

/** A request costs something, and each of its objects: both follow from the two that were measured. */
function perObject({ at75, at1 }: Cost, objects: number): number {
  const request = ((at1 - at75) * 75) / 74;
  return at1 - request + request / objects;
}

function resolverUs({ objects, newUsers }: Load): number {
  const { known, newUser } = measured.resolver;
  return perObject(known, objects) + newUsers * (newUser - known.at75);
}

function boundsOf(
  load: Load,
  { objectsPerSecond, slower, redis }: { readonly objectsPerSecond: number; readonly slower: number; readonly redis: number },
): Bound[] {
  const resolverMax = second / (resolverUs(load) * slower);
  const largest = objectsPerSecond * load.largest;
  const streamBytes = objectsPerSecond * Math.max(measured.intakeBytes, measured.laneBytes, measured.eventBytes);
  return [
    {
      name: "resolver of the largest workspace",
      used: largest / resolverMax,
      text: `one core resolves ${whole(resolverMax)} objects a second, the largest workspace sends ${whole(largest)}`,
    },
    {
      name: "leader of the largest stream",
      used: streamBytes / measured.streamBytes,
      text: `one leader takes ${megabytes(measured.streamBytes)} MB a second, it gets ${megabytes(streamBytes)}`,
    },
    { name: "Redis", used: redis, text: "all limits are counted by one thread" },
  ];
}

/** Settings that have a greatest value, and which part of it is used. */
function settingsOf(load: Load, wanted: { readonly partitions: number; readonly lanes: number }): Bound[] {
  const [megabytesMax, partitionsMax, lanesMax] = [streamBounds.megabytes.max, streamBounds.partitions.max, streamBounds.lanes.max];
  const logMax = `${load.outageMinutes} minutes take ${whole(logMegabytes(load))} MB of each stream, it may have ${whole(megabytesMax)}`;
  return [
    { name: "log of an outage", used: logMegabytes(load) / megabytesMax, text: logMax },
    {
      name: "partitions of the intake",
      used: wanted.partitions / partitionsMax,
      text: `twice what the resolvers need is ${Math.ceil(wanted.partitions)}, there may be ${partitionsMax}`,
    },
    {
      name: "lanes of the profile service",
      used: wanted.lanes / lanesMax,
      text: `four for each of its processes are ${wanted.lanes}, there may be ${lanesMax}`,
    },
  ];
}

function logMegabytes({ requests, objects, outageMinutes }: Load): number {
  return (requests * objects * Math.max(measured.intakeBytes, measured.laneBytes) * outageMinutes * 60) / 1e6;
}

function diskOf(
  load: Load,
  { objectsPerSecond, cassandraCores }: { readonly objectsPerSecond: number; readonly cassandraCores: number },
): Capacity["disk"] {
  const nodes = Math.max(load.copies, Math.ceil(cassandraCores / busyMax / load.coresEach));
  const log = logMegabytes(load);
  const usersEach = Math.ceil(load.users / load.workspaces);
  return {
    buckets: load.workspaces * Math.ceil(usersEach / bucketUsers),
    bucketBytes: Math.min(bucketUsers, usersEach) * load.rowBytes,
    nodes,
    cassandraBytesEach: (load.users * load.rowBytes * compactionRoom * load.copies) / nodes,
    compactionBytesPerSecondEach: (objectsPerSecond * load.rowBytes * (1 + compactionWrites) * load.copies) / nodes,
    logMegabytes: Math.min(Math.max(1_024, Math.ceil(log)), streamBounds.megabytes.max),
    logMinutes: Math.floor(load.outageMinutes * Math.min(1, streamBounds.megabytes.max / log)),
    natsBytesPerSecondEach: objectsPerSecond * (measured.intakeBytes + measured.laneBytes + measured.eventBytes),
    eventBytesPerHour: objectsPerSecond * measured.eventBytes * 3_600,
  };
}

/** A process has one core. */
function processesFor(cores = 0): number {
  return Math.max(2, Math.ceil(cores / busyMax));
}

function powerAbove(number: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, number)));
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

export function megabytes(bytes: number): string {
  return bytes >= 10e6 ? whole(bytes / 1e6) : (bytes / 1e6).toFixed(1);
}
