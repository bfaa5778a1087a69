/**
 * `npm run bench`: what Heddle costs beside the raw floors measured in the same run, each load quoted as a ratio to its floor. Never part of a
 * timed test.
 *
 *   --shape mesh              a gateway and a process of each part; without it one process
 *   --against REF             this build and that of REF in turn: A B A B
 *   --two-profiles            a mesh, and one with two processes of the profile service, in turn
 *   --url URL --pids 1,2      one that runs already; with --key for each workspace that the load may go to
 *   --rounds 3 --seconds 8    how often each load is measured, and for how long it is sent
 *   --warm 10                 seconds of each load that go before and are not measured, as what runs first is compiled meanwhile; a mesh takes 40
 *   --profiles 10000          so many users
 *   --workspaces 63           of so many workspaces, in turn; limits are met where they are few
 *   --body events,attributes,purchases,mixed --objects 1,25,75 --connections 1,32,128 --picks uniform,zipf,new,hot
 *                             loads of these instead of the usual ones, each combination
 *   --counts                  with a mesh: messages, synced writes, rows and calls of a request, by kind, and a second of nothing
 *   --picture FILE.svg        draws what the table says; --json prints it for programs
 *
 * What users have in the end is held against what they were sent: one object too many or too few and the bench fails.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { applied } from "./applied.ts";
import { firstBody, mixedBody, oneEventBody, userOf } from "./bodies.ts";
import { type Figure, pictureOf, summaries, tableOf, warningsOf } from "./figures.ts";
import { noteGoals, oneChainFloor } from "./bench-goals.ts";
import { noteFigure } from "./goals.ts";
import { bareChain, bareCore, bareOneProcess, bareProgram, bareServers, fillBare, meshFloors, settled, together } from "./floors.ts";
import { type Answer, type Asked, load, type LoadOptions, type LoadResult, percentile, send } from "./load.ts";
import { type BenchLoad, loadsOf } from "./loads.ts";
import { measuredLoad } from "./measured-load.ts";
import { type Bytes, bytesDuring, RowsOfLoad, rowsSoFar } from "./mesh-work.ts";
import { firstLine } from "./server.ts";
import { startCost } from "./start-cost.ts";
import { machineText } from "./stillness.ts";
import { Tally } from "./tally.ts";
import { residentMbOf, type Servers, startTargets, type Target, type Targets, thisBuild } from "./targets.ts";

const { values } = parseArgs({
  options: {
    profiles: { type: "string", default: "10000" },
    workspaces: { type: "string", default: "63" },
    warm: { type: "string" },
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    shape: { type: "string", default: "one" },
    against: { type: "string" },
    "two-profiles": { type: "boolean", default: false },
    url: { type: "string" },
    pids: { type: "string", default: "" },
    key: { type: "string", multiple: true },
    body: { type: "string" },
    objects: { type: "string" },
    connections: { type: "string" },
    picks: { type: "string" },
    counts: { type: "boolean", default: false },
    picture: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (values.shape !== "one" && values.shape !== "mesh") throw new Error(`--shape is one or mesh, not "${values.shape}"`);
if (values.url !== undefined && values.key === undefined) {
  throw new Error("--url needs --key, once or more often: keys of workspaces that are there");
}
const shape = values.shape;
const [rounds, scale] = [Number(values.rounds), Number(values.seconds)];
const warmSeconds = Number(values.warm ?? (shape === "mesh" ? 40 : 10));
/** The load goes to so many workspaces that no published limit is met; each of them is asked when its last object can be read. */
const keys = values.key ?? Array.from({ length: Number(values.workspaces) }, (_, i) => `bench-key-${String(i).padStart(4, "0")}`);
const workspaces = keys.length;
/** Users of each workspace. */
const users = Math.ceil(Number(values.profiles) / workspaces);
const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
const figures: Figure[] = [];
/** Of a request that goes with the floor of the stores, not with that of HTTP. */
const manyObjects = 25;
const others: { name: string; value: string }[] = [];

const floors = {
  many: "node:http parses 75 objects",
  one: "node:http parses one object",
  write: "SQLite upserts a row, 500 a commit",
  reads: `SQLite reads 3 rows and upserts one, ${values.profiles} users`,
};
const loads = loadsOf({ ...values, users });
const manyLoad = loads.find(({ objects }) => objects >= manyObjects);
const singleLoad = loads.find(({ objects, connections }) => objects === 1 && connections === 32);
/** Of the mesh: rows that objects of `manyLoad` made this build write and read, an object. */
const storeRows = new RowsOfLoad();
/** What each build was sent to the first workspace. */
const tallies = new Map<Target, Tally>();
let sent = 0;
/** Of requests in the open loop: one in so many is read, since reads are not the load, for so long at least, as a p99 of few says nothing. */
const [readEach, openSecondsMin] = [20, 30];

try {
  if (values.url === undefined && shape === "one") {
    others.push(...await startCost({ folder, key: keys[0] ?? "", make: (n) => track(n, oneEventBody(n, users)) }));
  }
  const targets = await open();
  try {
    await measureAll(targets);
  } finally {
    await targets.stop();
  }
  report();
  if (values.counts) {
    const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "messages.ts")], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll({ all, servers }: Targets): Promise<void> {
  for (const target of all) await fill(target);
  for (const each of loads) for (const target of all) await sendLoad(each, target, { run: "warm", seconds: warmSeconds });
  const bytes = await bytesOf(all[0], servers);
  if (servers !== undefined) await fillBare(servers);
  for (let round = 0; round < rounds; round += 1) {
    await measureFloors(round);
    figures.push(...await floorsOf(servers, bytes));
    // A B A B, and each is as often the first
    const inTurn = round % 2 === 0 ? all : all.toReversed();
    for (const each of loads) for (const target of inTurn) await measure(each, { target, servers });
  }
  reportRows();
  const canBeAsked = loads[0]?.objects === 75;
  for (const target of canBeAsked ? all : []) for (const percent of [50, 80]) await readable(target, percent);
  for (const target of all) await checkTally(target);
}

/** What rows and bytes take of bare servers goes by those that were really written and read. */
function reportRows(): void {
  if (storeRows.objects === 0) return;
  others.push({ name: "rows an object", value: storeRows.text() });
  figures.push(...together(figures, { written: storeRows.of("write"), read: storeRows.of("read"), objects: manyLoad?.objects ?? 1 }));
}

/** What is not there once fails the bench, and what cannot be known; a server that ran before had what is not known. */
async function checkTally(target: Target): Promise<void> {
  const tally = tallies.get(target);
  if (values.url !== undefined || tally === undefined) return;
  const { isRight, text } = await tally.check(target.url, keys[0] ?? "");
  others.push({ name: `objects that are there once, ${target.name}`, value: text });
  if (!isRight) process.exitCode = 1;
}

async function open(): Promise<Targets> {
  const { against, "two-profiles": twoProfiles } = values;
  if (values.url === undefined) return await startTargets({ shape, against, twoProfiles, folder, keys });
  const processes = new Map(values.pids.split(",").filter((pid) => pid !== "").map((pid) => [`process ${pid}`, Number(pid)]));
  return { all: [{ name: "what runs", url: values.url, processes }], stop: () => Promise.resolve() };
}

async function measureFloors(round: number): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "floor.ts"), "http"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = (await firstLine(child, /http:/)).trim();
  const floor: Target = { name: "", url, processes: new Map([["node:http", child.pid ?? 0]]) };
  const bare = { path: "/", headers: {} };
  await counted(
    floors.many,
    floor,
    manyLoad?.objects ?? 75,
    () =>
      load({
        url,
        connections: 16,
        requests: 800 * scale,
        make: (n) => ({ ...bare, body: manyLoad?.make(n, "floor") ?? mixedBody(n, users) }),
      }),
  );
  await counted(
    floors.one,
    floor,
    1,
    () =>
      load({
        url,
        connections: 32,
        requests: 3_000 * scale,
        make: (n) => ({ ...bare, body: singleLoad?.make(n, "floor") ?? oneEventBody(n, users) }),
      }),
  );
  child.kill();
  figures.push(
    bareProgram(floors.write, "floor.ts", ["sqlite", join(folder, `floor-write-${round}.db`)]),
    bareProgram(floors.reads, "floor.ts", ["users", join(folder, `floor-reads-${round}.db`), values.profiles]),
    ...bareCore(values),
  );
  // The bare server knows the users whom the bench makes, and sums events alone
  const isKnown = values.url === undefined && values.body === "events" && !/new|hot/.test(values.picks ?? "");
  if (shape !== "one" || singleLoad === undefined || !isKnown) return;
  const asked = {
    make: (n: number) => track(n, singleLoad.make(n, `floor-${round}`)),
    connections: singleLoad.connections,
    requests: 3_000 * scale,
  };
  const path = join(folder, `floor-chain-${round}.db`);
  figures.push(await bareOneProcess([path, values.profiles, String(workspaces)], asked, oneChainFloor));
}

/** The last ones with the same bodies as the loads. */
async function floorsOf(servers: Servers | undefined, bytes: Bytes | undefined): Promise<Figure[]> {
  if (servers === undefined) return [];
  const alone = loads.find(({ objects, connections }) => objects === 1 && connections === 1);
  const named = [[meshFloors.chainMany, manyLoad], [meshFloors.chain, singleLoad], [meshFloors.chainAlone, alone]] as const;
  const chains = named.flatMap(([name, each]) => {
    const settle = each === manyLoad && { settle: () => settled(servers) };
    return each === undefined ? [] : [{ ...each, name, make: (n: number) => track(n, each.make(n, "chain")), ...settle }];
  });
  const two = values["two-profiles"] ? chains.slice(0, 1).map((chain) => ({ ...chain, name: meshFloors.chainTwo })) : [];
  const bare = [...await bareServers(servers, scale, bytes), ...await bareChain(servers, chains, { seconds: scale })];
  return [...bare, ...await bareChain(servers, two, { seconds: scale, parts: 2 })];
}

/** Bytes of an object of many, as it was sent for so long. */
async function bytesOf(target: Target | undefined, servers: Servers | undefined): Promise<Bytes | undefined> {
  if (target?.mesh === undefined || servers === undefined || manyLoad === undefined) return undefined;
  const streams = { url: servers.settings["HEDDLE_NATS_URL"] ?? "", logName: target.mesh.logName };
  const bytes = await bytesDuring(streams, async () => {
    const { latencies } = await sendLoad(manyLoad, target, { run: "bytes", seconds: scale });
    return latencies.length * manyLoad.objects;
  });
  others.push({ name: "bytes an object: intake, lanes, events", value: bytes.map((one) => one.toFixed(0)).join(", ") });
  return bytes;
}

async function fill(target: Target): Promise<void> {
  const requests = Math.ceil(users / 75) * workspaces;
  const asked = counting(target, (n) => track(n, firstBody(Math.floor(n / workspaces), users)));
  await counted(
    `making ${users * workspaces} profiles`,
    target,
    Math.min(users, 75),
    () => applied(target.url, { ...asked, requests, connections: 8 }),
  );
}

async function measure(
  each: BenchLoad,
  { target, servers }: { readonly target: Target; readonly servers: Servers | undefined },
): Promise<void> {
  sent += 1;
  const run = String(sent);
  const measured = {
    name: each.name,
    processes: target.processes,
    objects: each.objects,
    settle: each === manyLoad && servers ? () => settled(servers) : undefined,
  };
  const folder = each === manyLoad && target.name === thisBuild.name ? target.mesh?.rowsFolder : undefined;
  const before = folder && await rowsSoFar(folder);
  let objects = 0;
  const figure = await measuredLoad(measured, async () => {
    const result = await sendLoad(each, target, { run, seconds: scale });
    objects = result.latencies.length * each.objects;
    return result;
  });
  if (folder && before) storeRows.add(objects, [before, await rowsSoFar(folder)]);
  figures.push({ ...figure, target: target.name });
}

/** For so long, until its last object can be read. */
function sendLoad(
  { isHot = false, connections, make }: BenchLoad,
  target: Target,
  { run, seconds }: { readonly run: string; readonly seconds: number },
): Promise<LoadResult> {
  const until = performance.now() + 1_000 * seconds;
  const isOver = () => performance.now() >= until;
  const asked = counting(target, (n) => track(isHot ? 0 : n, make(n, run)), isHot);
  return applied(target.url, { ...asked, requests: Infinity, isOver, connections });
}

/** Open loop at a share of what it takes, so that a slow answer keeps no other back: how long answers take, and how long after one a read that sees it comes back. */
async function readable(target: Target, percent: number): Promise<void> {
  const fastest = summaries(figures, new Map()).find((row) => row.load === loads[0]?.name && row.target === target.name);
  const perSecond = ((fastest?.objectsPerSecond ?? 0) / 75) * (percent / 100);
  const waits: number[] = [];
  const agent = new Agent({ keepAlive: true });
  const onAnswer = async (n: number, answer: Answer): Promise<void> => {
    if (n % readEach !== 0) return;
    const start = performance.now();
    const body = Buffer.from(JSON.stringify({ external_ids: [userOf(n * 75, users)], fields_to_export: ["custom_attributes"] }));
    const headers = { ...track(n, body).headers, "x-heddle-position": String(answer.headers["x-heddle-position"] ?? "") };
    const { status } = await send(agent, target.url, { path: "/users/export/ids", body, headers });
    if (status !== 201) throw new Error(`Expected 201 for a read that waits, got ${status}`);
    waits.push(performance.now() - start);
  };
  const requests = Math.max(20, Math.floor(perSecond * Math.max(scale, openSecondsMin)));
  const counts = counting(target, (n) => track(n, loads[0]?.make(n, `at ${percent}`) ?? mixedBody(n, users)));
  const onBoth = async (n: number, answer: Answer) => {
    await counts.onAnswer(n, answer);
    await onAnswer(n, answer);
  };
  await counted(
    `75 objects a request at ${percent} %`,
    target,
    75,
    () => applied(target.url, { make: counts.make, onAnswer: onBoth, connections: 128, requests, perSecond }),
  );
  const sorted = Float64Array.from(waits).sort();
  const [half, most] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  others.push({
    name: `answered to readable at ${percent} %, p50 and p99 ms, ${target.name}`,
    value: `${half.toFixed(1)}, ${most.toFixed(1)}`,
  });
  if (percent === 80 && Number(values.profiles) === 100_000) noteFigure(`readable-${shape}`, most);
  others.push({ name: `resident MB under load, ${target.name}`, value: residentMbOf(target).toFixed(0) });
  agent.destroy();
}

async function counted(name: string, { name: target, processes }: Target, objects: number, run: () => Promise<LoadResult>): Promise<void> {
  figures.push({ ...await measuredLoad({ name, processes, objects }, run), ...(target !== "" && { target }) });
}

function track(n: number, body: Buffer): { path: string; body: Buffer; headers: Record<string, string> } {
  return { path: "/users/track", body, headers: { authorization: `Bearer ${keys[n % workspaces]}` } };
}

/** What the first workspace is sent and answered is held against what its users have in the end. */
function counting(target: Target, make: (n: number) => Asked, isHot = false): Required<Pick<LoadOptions, "make" | "onAnswer">> {
  const tally = tallies.get(target) ?? new Tally();
  tallies.set(target, tally);
  return tally.counting(make, (n) => isHot || n % workspaces === 0);
}

/** By the number of its objects: many go with what a store cannot spare, few with what HTTP alone takes. Of the mesh one load has its rows counted. */
function floorOf(each: BenchLoad): string {
  if (each.objects < manyObjects) return floors.one;
  if (shape === "one") return floors.reads;
  return each === manyLoad ? meshFloors.together : "";
}

function report(): void {
  const chains = [meshFloors.chain, meshFloors.chainAlone, oneChainFloor].map((chain) => [chain, floors.one] as const);
  const many = [meshFloors.chainMany, meshFloors.chainTwo, meshFloors.chainAndCore].map((chain) => [chain, meshFloors.together] as const);
  const rows = summaries(figures, new Map([...loads.map((each) => [each.name, floorOf(each)] as const), ...chains, ...many]));
  const warnings = warningsOf(rows);
  noteGoals(rows, { shape, profiles: values.profiles, twoProfiles: values["two-profiles"], workspaces, loads });
  if (values.picture !== undefined) {
    mkdirSync(dirname(values.picture), { recursive: true });
    writeFileSync(values.picture, pictureOf(`CPU us an object, ${values.profiles} users, ${shape}`, rows));
  }
  const plain = rows.map((row) => ({ ...row, cpuUsBy: Object.fromEntries(row.cpuUsBy) }));
  if (values.json) return console.log(JSON.stringify({ machine: machineText(), rounds, rows: plain, others, warnings }, null, 2));
  console.log(`${machineText()}; ${rounds} rounds\n\n${tableOf(rows)}\n`);
  for (const { name, value } of others) console.log(`- ${name}: ${value}`);
  for (const warning of warnings) console.log(`\n${warning}`);
}
