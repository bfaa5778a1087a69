/**
 * `node test/bench/resolver.ts`: what one workspace's resolver takes of its core, the rows that it asks for in memory and the logs in memory, so that
 * nothing is measured but its own work; and the bytes that an object takes on its way. docs/capacity.md stands on it. Never part of a timed test.
 */
import { parseArgs } from "node:util";
import { systemClock } from "../../platform/clock.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { placeFromBytes } from "../../platform/lane/place.ts";
import { limits } from "../../platform/limits.ts";
import { packRecords } from "../../platform/log/packed-records.ts";
import { silentLogger } from "../../platform/logger.ts";
import { checkTrack } from "../../services/profile/domain/check-track.ts";
import type { IdentityKey } from "../../services/profile/domain/identity.ts";
import { resolveBatch } from "../../services/profile/domain/resolve-batch.ts";
import { encodeRecord } from "../../services/profile/intake/record-message.fixture.ts";
import { decodeRecord } from "../../services/profile/intake/record-message.ts";
import { laneRows } from "../../services/profile/lanes/lane-message.ts";
import { packItem, packLaneMessage } from "../../services/profile/lanes/profile-lane.ts";
import { limitedStream } from "../../services/profile/resolve/limited-stream.fixture.ts";
import { resolveToLanes } from "../../services/profile/resolve/publish-steps.ts";
import { createViews } from "../../services/profile/resolve/views.ts";
import { mixedBody, oneEventBody } from "./bodies.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "100000" },
    objects: { type: "string", default: "60000" },
    rounds: { type: "string", default: "3" },
    /** One round, and the cost of known users at 75 objects a request alone, for the bench. */
    bare: { type: "boolean", default: false },
  },
});
const users = Number(values.users);
const objectsEach = Number(values.objects);
const layout = laneLayout(1);
const checkpointSubject = "lanes.checkpoint";
const maxPayload = 1024 * 1024;
/** By whether the users are there before and in memory, and objects a request. */
const kinds = [
  { name: "new users, 75 objects a request", objects: 75, make: (n: number) => mixedBody(n, users) },
  { name: "known users, 75 objects a request", objects: 75, make: (n: number) => mixedBody(n, users) },
  { name: "known users, one object a request", objects: 1, make: (n: number) => oneEventBody(n, users) },
] as const;

const found = new Map<string, { cpuUs: number; intakeBytes: number; laneBytes: number }[]>();
for (let round = 0; round < (values.bare ? 1 : Number(values.rounds)); round += 1) await measureRound();
report();

/** One resolver from its start: first all users are new, then they are known. */
async function measureRound(): Promise<void> {
  const rows = new Map<IdentityKey, unknown>();
  const views = createViews();
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
    const reading = resolveToLanes({ ...partsOf({ intake, lanes, rows }), views });
    while (throughOf(lanes) < tail) await new Promise((resolve) => setTimeout(resolve, 5));
    const used = process.cpuUsage(began);
    await reading.close();
    const count = requests * objects;
    const laneBytes = Array.from({ length: layout.partitions }, (_, at) => lanes.stream.of(`lanes.${at}`)).flat()
      .reduce((sum, { body }) => sum + body.byteLength, 0);
    const figures = found.get(name) ?? [];
    figures.push({ cpuUs: (used.user + used.system) / count, intakeBytes: intakeBytes / count, laneBytes: laneBytes / count });
    found.set(name, figures);
  }
}

type Stream = ReturnType<typeof limitedStream>;

function partsOf({ intake, lanes, rows }: { readonly intake: Stream; readonly lanes: Stream; readonly rows: Map<IdentityKey, unknown> }) {
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
    resolve: resolveBatch,
    packItem,
    packItems: packLaneMessage,
    packConsent: packRecords,
    encodeConsent: laneRows,
    undoWindowMs: 7 * 24 * 3_600_000,
    clock: systemClock,
    logger: silentLogger,
    onWritten: () => {},
    numbersUsers: () => true,
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
  return checkpoint === undefined ? 0 : placeFromBytes(checkpoint.body).through;
}

function report(): void {
  const rows = [...found].map(([name, figures]) => {
    const costs = figures.map(({ cpuUs }) => cpuUs).toSorted((one, other) => one - other);
    const cpuUs = costs[Math.floor(costs.length / 2)] ?? Number.NaN;
    const [{ intakeBytes, laneBytes } = { intakeBytes: 0, laneBytes: 0 }] = figures;
    return { name, costs, cpuUs, perSecond: Math.round(1e6 / cpuUs), intakeBytes, laneBytes };
  });
  if (values.bare) return console.log(JSON.stringify(rows[1]));
  console.table(rows.map(({ name, costs, perSecond, intakeBytes, laneBytes }) => ({
    name,
    "CPU us an object: least, middle, largest": [costs[0], 1e6 / perSecond, costs.at(-1)].map((us = 0) => us.toFixed(1)).join(", "),
    "objects/s of one core": perSecond,
    "bytes an object in the intake": Math.round(intakeBytes),
    "in the lanes": Math.round(laneBytes),
  })));
}
