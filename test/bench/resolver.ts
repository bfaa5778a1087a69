/**
 * `node test/bench/resolver.ts`: what one workspace's resolver takes of its core, and what its lanes take that apply what it decided and make rows and events of it, with
 * the rows that they ask for in memory and the logs in memory, so that nothing is measured but their own work; what counting for charts is of that; and the bytes that an
 * object takes on its way. docs/capacity.md stands on it. Never part of a timed test.
 */
import { parseArgs } from "node:util";
import { systemClock } from "../../platform/clock.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { checkpointFromBytes } from "../../platform/lane/resolver-checkpoint.ts";
import { limits } from "../../platform/limits.ts";
import { packRecords } from "../../platform/log/packed-records.ts";
import { silentLogger } from "../../platform/logger.ts";
import { applyBatch } from "../../services/profile/apply/apply-batch.ts";
import { pureSteps } from "../../services/profile/apply/pure-steps.ts";
import type { ApplyDeps } from "../../services/profile/apply/slow-path.ts";
import { createUserCache, userCacheOptions } from "../../services/profile/apply/user-cache.ts";
import { checkTrack } from "../../services/profile/domain/track/check-track.ts";
import type { StoredUser, UserChanges } from "../../services/profile/domain/ports.ts";
import type { Profile } from "../../services/profile/domain/profile/profile.ts";
import { createIdentities } from "../../services/profile/domain/identity/identities.ts";
import type { IdentityKey } from "../../services/profile/domain/identity/identity.ts";
import { resolveBatch, type ResolvedRecord } from "../../services/profile/domain/resolve/batch.ts";
import { eventsOf } from "../../services/profile/events/profile-events.ts";
import { encodeRecord } from "../../services/profile/intake/record-message.fixture.ts";
import { decodeRecord } from "../../services/profile/intake/record-message.ts";
import { laneRows } from "../../services/profile/lanes/lane-message.ts";
import { packItem, packLaneMessage, readLaneMessage } from "../../services/profile/lanes/profile-lane.ts";
import { countStep } from "../../services/profile/resolve/count-step.ts";
import { limitedStream } from "../../services/profile/resolve/limited-stream.fixture.ts";
import { resolveToLanes } from "../../services/profile/resolve/publish-steps.ts";
import { createViews } from "../../services/profile/resolve/views.ts";
import { userWrites } from "../../services/profile/store/cassandra-user-row.ts";
import { profileFromRow, profileToRow } from "../../services/profile/store/rows.ts";
import { type BodyKind, bodyOf, mixedBody, oneEventBody, picked, type Picking } from "./bodies.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "100000" },
    objects: { type: "string", default: "60000" },
    rounds: { type: "string", default: "3" },
    body: { type: "string", default: "mixed" },
    picks: { type: "string", default: "uniform" },
    /** One round, and the costs of known users at 75 objects a request alone, for the bench. */
    bare: { type: "boolean", default: false },
  },
});
const users = Number(values.users);
const objectsEach = Number(values.objects);
const layout = laneLayout(1);
const checkpointSubject = "lanes.checkpoint";
const maxPayload = 1024 * 1024;
const noUser: StoredUser = { profile: undefined, row: "", blocked: false, openMerges: [], mark: undefined };
const pick = picked(values.picks as Picking, users, "bare");
/** By whether the users are there before and in memory, and objects a request. */
const kinds = [
  { name: "new users, 75 objects a request", objects: 75, make: (n: number) => mixedBody(n, users) },
  {
    name: "known users, 75 objects a request",
    objects: 75,
    make: (n: number) => bodyOf(values.body as BodyKind, n, { objects: 75, pick }),
  },
  { name: "known users, one object a request", objects: 1, make: (n: number) => oneEventBody(n, users) },
] as const;

interface Figures {
  readonly cpuUs: number;
  /** Of the lanes. */
  readonly applyingUs: number;
  /** Of a request: counting what it does, and with as many names of events as an hour keeps. */
  readonly countingUs: number;
  readonly countingNamesUs: number;
  readonly intakeBytes: number;
  readonly laneBytes: number;
}

const found = new Map<string, Figures[]>();
for (let round = 0; round < (values.bare ? 1 : Number(values.rounds)); round += 1) await measureRound();
report();

/** One resolver from its start: first all users are new, then they are known. */
async function measureRound(): Promise<void> {
  const rows = new Map<IdentityKey, unknown>();
  const views = createViews();
  const apply = createApplier();
  for (const { name, objects, make } of kinds) {
    const [intake, lanes] = [
      limitedStream({ name: "intake", partitions: 1 }, maxPayload),
      limitedStream({ name: "lanes", partitions: layout.partitions }, maxPayload),
    ];
    const requests = Math.ceil((name.startsWith("new") ? users : objectsEach) / objects);
    let intakeBytes = 0;
    for (let n = 0; n < requests; n += 1) {
      const record = recordOf(n, make(n));
      intakeBytes += record.byteLength;
      await intake.log.append(0, record, "normal");
    }
    const tail = await intake.log.tail(0);
    const began = process.cpuUsage();
    const resolved: ResolvedRecord[] = [];
    const reading = resolveToLanes({ ...depsOf({ intake, lanes, rows, resolved }), views });
    while (throughOf(lanes) < tail) await new Promise((resolve) => setTimeout(resolve, 5));
    const used = process.cpuUsage(began);
    await reading.close();
    const count = requests * objects;
    const laneBytes = messagesOf(lanes, layout.partitions).reduce((sum, body) => sum + body.byteLength, 0);
    const figures = found.get(name) ?? [];
    figures.push({
      cpuUs: (used.user + used.system) / count,
      applyingUs: await apply(messagesOf(lanes, layout.lanes)) / count,
      countingUs: await countingUs(resolved),
      countingNamesUs: await countingUs(resolved.map(withNames)),
      intakeBytes: intakeBytes / count,
      laneBytes: laneBytes / count,
    });
    found.set(name, figures);
  }
}

function messagesOf({ stream }: Stream, partitions: number): Uint8Array[] {
  return Array.from({ length: partitions }, (_, at) => stream.of(`lanes.${at}`)).flat().map(({ body }) => body);
}

/** Applies messages of lanes, and gives the CPU in us: from their bytes to the statements of a bucket's rows, and to events. Who is there stays in memory. */
function createApplier(): (messages: readonly Uint8Array[]) => Promise<number> {
  const deps = {
    steps: pureSteps,
    cache: createUserCache(userCacheOptions(1, { profileFromRow, profileToRow })),
    holds: new Map(),
    profiles: {
      loadUsers: (_: string, ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, noUser]))),
      save(changes: UserChanges) {
        const rows = new Map<Profile, string>();
        userWrites(changes, rows, () => 0);
        return Promise.resolve({ rows });
      },
    },
    eventsOf,
    publish: () => Promise.resolve(),
    announce: () => Promise.reject(new Error("A merge was announced")),
  } as unknown as ApplyDeps;
  return async (messages) => {
    const began = process.cpuUsage();
    for (const message of messages) {
      const slow = await applyBatch(deps, readLaneMessage(message));
      if (slow.length > 0) throw new Error("A user needed more than its own row");
    }
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
}

/** Each record as a step of its own, over one hour, with the text of each row that is written: nobody shares a step's row. */
async function countingUs(records: readonly ResolvedRecord[]): Promise<number> {
  const view = createIdentities("ws_bench");
  const store = { load: () => Promise.resolve(new Map<IdentityKey, unknown>()) };
  const hour = 3_600_000 * Math.floor(Date.now() / 3_600_000);
  let bytes = 0;
  const began = process.cpuUsage();
  for (const [at, record] of records.entries()) {
    await countStep(view, [record], { now: hour + Math.floor((at / records.length) * 3_600_000), store });
    for (const row of view.changes().values()) bytes += JSON.stringify(row).length;
    view.confirm();
  }
  const { user, system } = process.cpuUsage(began);
  if (bytes === 0) throw new Error("Nothing was counted");
  return (user + system) / records.length;
}

function withNames(record: ResolvedRecord): ResolvedRecord {
  const profiles = record.profiles.map((one, at) => {
    if (one.change.type !== "event") return one;
    return { ...one, change: { ...one.change, name: `event ${(record.sequence + at) % limits.countedEventNamesMax}` } };
  });
  return { ...record, profiles };
}

type Stream = ReturnType<typeof limitedStream>;

interface Memory {
  readonly intake: Stream;
  readonly lanes: Stream;
  readonly rows: Map<IdentityKey, unknown>;
  /** What was decided, in order. */
  readonly resolved: ResolvedRecord[];
}

function depsOf({ intake, lanes, rows, resolved }: Memory) {
  return {
    partition: 0,
    layout,
    checkpointSubject,
    subjectOf: (partition: number) => `lanes.${partition}`,
    intake: intake.log,
    lanes: lanes.log,
    fenced: lanes.steps,
    identities: {
      load: (_: string, keys: readonly IdentityKey[]) =>
        Promise.resolve(new Map(keys.flatMap((key) => rows.has(key) ? [[key, rows.get(key)] as const] : []))),
      save: (_: string, saved: Iterable<readonly [IdentityKey, unknown]>) => {
        for (const [key, row] of saved) rows.set(key, row);
        return Promise.resolve();
      },
      saveOrigins: () => Promise.resolve(),
      forgetSetAside: () => Promise.resolve(),
      setAside: ([first]: readonly { readonly reason: string }[]) => Promise.reject(new Error(`A record was refused: ${first?.reason}`)),
    },
    trimBytes: Number.MAX_SAFE_INTEGER,
    sizes: () => ({ messageBytesMax: Math.min(limits.stepMessageBytesMax, lanes.steps.bodyBytesMax), stepBytesMax: limits.stepBytesMax }),
    decode: decodeRecord,
    resolve: (...of: Parameters<typeof resolveBatch>) => {
      const outcome = resolveBatch(...of);
      resolved.push(...outcome.resolved);
      return outcome;
    },
    packItem,
    packItems: packLaneMessage,
    packConsent: packRecords,
    encodeConsent: laneRows,
    undoWindowMs: 7 * 24 * 3_600_000,
    clock: systemClock,
    logger: silentLogger,
    onWritten: () => {},
    numbering: () => "lanes" as const,
  };
}

/** As the profile service appends it: what the check let through. */
function recordOf(n: number, body: Buffer): Uint8Array {
  const { objects } = checkTrack(JSON.parse(body.toString()), { objectsPerArrayMax: 75, objectsMax: 0, objectsPerUserMax: 0 });
  const context = { workspaceId: "ws_bench", requestId: `req_${n}`, actor: "key_bench", receivedAt: Date.now() };
  return encodeRecord({ ...context, body: { type: "track", objects } });
}

function throughOf({ stream }: Stream): number {
  const checkpoint = stream.of(checkpointSubject).at(-1);
  return checkpoint === undefined ? 0 : checkpointFromBytes(checkpoint.body).through;
}

function report(): void {
  const rows = [...found].map(([name, figures]) => {
    const costs = figures.map(({ cpuUs }) => cpuUs).toSorted((one, other) => one - other);
    const cpuUs = middle(costs);
    const [{ intakeBytes, laneBytes } = { intakeBytes: 0, laneBytes: 0 }] = figures;
    const applyingUs = middle(figures.map(({ applyingUs: us }) => us));
    const counting = [figures.map(({ countingUs: us }) => us), figures.map(({ countingNamesUs: us }) => us)].map(middle);
    return { name, costs, counting, applyingUs, cpuUs, perSecond: Math.round(1e6 / cpuUs), intakeBytes, laneBytes };
  });
  if (values.bare) return console.log(JSON.stringify(rows[1]));
  console.table(rows.map(({ name, costs, counting, applyingUs, perSecond, intakeBytes, laneBytes }) => ({
    name,
    "CPU us an object: least, middle, largest": [costs[0], 1e6 / perSecond, costs.at(-1)].map((us = 0) => us.toFixed(1)).join(", "),
    "its lanes, CPU us an object": applyingUs.toFixed(1),
    "counting, CPU us a request, and with 50 names": counting.map((us) => us.toFixed(1)).join(", "),
    "objects/s of one core": perSecond,
    "bytes an object in the intake": Math.round(intakeBytes),
    "in the lanes": Math.round(laneBytes),
  })));
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
