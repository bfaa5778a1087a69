/**
 * `node test/bench/behind.ts [--shape mesh] [--against REF]`: one workspace sends more than can be applied, as fast as it is answered; how soon what
 * it and another workspace write can be read. Never part of a timed test.
 *
 *   --seconds 20 --connections 32 --objects 75 --users 10000    the flood
 *   --warm 40                                                   seconds of it that are not measured; on the mesh 40, in one process 10
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { bodyOf, oneEventBody, picked } from "./bodies.ts";
import { noteFigure } from "./goals.ts";
import { type Answer, type Asked, load, percentile, send } from "./load.ts";
import { startTargets, type Target } from "./targets.ts";

const { values } = parseArgs({
  options: {
    shape: { type: "string", default: "one" },
    against: { type: "string" },
    seconds: { type: "string", default: "20" },
    connections: { type: "string", default: "32" },
    objects: { type: "string", default: "75" },
    users: { type: "string", default: "10000" },
    warm: { type: "string" },
  },
});
const [seconds, connections, objects, users] = [values.seconds, values.connections, values.objects, values.users].map(Number) as [
  number,
  number,
  number,
  number,
];
const [flooder, other] = ["bench-key-flooder", "bench-key-other"] as const;
const warmSeconds = Number(values.warm ?? (values.shape === "mesh" ? 40 : 10));
const waitMsMax = 120_000;
/** Between two writes of the other workspace. */
const apartMs = 250;
const folder = mkdtempSync(join(tmpdir(), "heddle-behind-"));
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

try {
  const targets = await startTargets({
    shape: values.shape === "mesh" ? "mesh" : "one",
    against: values.against,
    folder,
    keys: [flooder, other],
  });
  try {
    for (const target of targets.all) await measure(target);
  } finally {
    await targets.stop();
  }
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function measure({ name, url }: Target): Promise<void> {
  const pick = picked("zipf", users, name);
  const flood = (n: number): Asked => asked("/users/track", flooder, bodyOf("events", n, { objects, pick }));
  await load({ url, connections: 4, requests: Math.ceil((2 * users) / objects), make: flood });
  const warmUntil = performance.now() + warmSeconds * 1_000;
  await load({ url, connections, requests: Infinity, make: flood, isOver: () => performance.now() >= warmUntil, onAnswer: waitIfRefused });
  await looked(url, other, await write(url, other, -1));
  console.log(`${name}: nobody floods: ${shown(await looks(url, other, { seconds: 5, isOver: () => false }))}`);

  const tally = new Map<string, number>();
  const ends = performance.now() + seconds * 1_000;
  let taken = "";
  const flooding = load({
    url,
    connections,
    requests: Infinity,
    make: (n) => flood(n),
    isOver: () => performance.now() >= ends,
    async onAnswer(_, answer) {
      const kind = `${answer.status} ${String(answer.headers["x-heddle-reason"] ?? "")}`.trim();
      tally.set(kind, (tally.get(kind) ?? 0) + 1);
      if (answer.status === 201) taken = positionOf(answer);
      await waitIfRefused(0, answer);
    },
  });
  const draining = flooding.then(() => looked(url, flooder, { position: taken, user: "user-0", sent: performance.now() }));
  const isOver = () => performance.now() >= ends;
  const own: { at: number; ms: number }[] = [];
  const watching = (async () => {
    const began = performance.now();
    for (let at = 1; !isOver(); at += 1) {
      await setTimeout(Math.max(0, began + at * 1_000 - performance.now()));
      if (taken !== "") own.push({ at, ms: await looked(url, flooder, { position: taken, user: "user-0", sent: performance.now() }) });
    }
  })();
  const others = await looks(url, other, { seconds, isOver });
  const drained = await draining;
  const result = await flooding;
  await watching;
  const requests = tally.get("201") ?? 0;
  console.log(`${name}: while ${connections} connections flood with ${objects} a request for ${result.seconds.toFixed(1)} s:`);
  console.log(
    `  answers of the flooder: ${[...tally].map(([kind, count]) => `${kind}: ${count}`).join(", ")}; ms ${text(result.latencies)}`,
  );
  console.log(
    `  objects applied a second: ${((requests * objects) / (result.seconds + drained / 1_000)).toFixed(0)}; the rest in ${
      drained.toFixed(0)
    } ms`,
  );
  console.log(`  the other workspace, from sent to readable: ${shown(others)}`);
  noteFigure(`behind-others-${values.shape}`, percentile(Float64Array.from(others).sort(), 0.99));
  noteFigure(`behind-own-${values.shape}`, Math.max(...own.map(({ ms }) => ms)));
  console.log(`  the flooder, from answered to readable, by second: ${own.map(({ at, ms }) => `${at}: ${ms.toFixed(0)}`).join(", ")} ms`);
}

interface Write {
  readonly position: string;
  readonly user: string;
  readonly sent: number;
}

async function waitIfRefused(_: number, { status, headers }: Answer): Promise<void> {
  if (status !== 201) await setTimeout(Number(headers["retry-after"] ?? 1) * 1_000);
}

/** One object in `apartMs`, and until it can be read. */
async function looks(url: string, key: string, { seconds: lasts, isOver }: { seconds: number; isOver: () => boolean }): Promise<number[]> {
  const all: number[] = [];
  const began = performance.now();
  for (let n = 0; n < lasts * 1_000 / apartMs && !isOver(); n += 1) {
    await setTimeout(Math.max(0, began + n * apartMs - performance.now()));
    all.push(await looked(url, key, await write(url, key, n)));
  }
  return all;
}

async function write(url: string, key: string, n: number): Promise<Write> {
  const sent = performance.now();
  const answer = await send(agent, url, asked("/users/track", key, oneEventBody(n, users)));
  if (answer.status !== 201) throw new Error(`A write of one object was answered ${answer.status}: ${answer.body}`);
  return { position: positionOf(answer), user: "user-0", sent };
}

/** Milliseconds from when it was sent until a read sees it. */
async function looked(url: string, key: string, { position, user, sent }: Write): Promise<number> {
  const question = asked(
    "/users/export/ids",
    key,
    Buffer.from(JSON.stringify({ external_ids: [user], fields_to_export: ["external_id"] })),
  );
  for (;;) {
    const answer = await send(agent, url, { ...question, headers: { ...question.headers, "x-heddle-position": position } });
    if (answer.status >= 300) throw new Error(`A read was answered ${answer.status}: ${answer.body}`);
    const ms = performance.now() - sent;
    if (answer.headers["x-heddle-read"] !== "behind" || ms > waitMsMax) return ms;
  }
}

function asked(path: string, key: string, body: Buffer): Asked {
  return { path, body, headers: { authorization: `Bearer ${key}` } };
}

function positionOf({ headers }: Answer): string {
  return String(headers["x-heddle-position"] ?? "");
}

function shown(all: readonly number[]): string {
  return `ms ${text(Float64Array.from(all).sort())}, ${all.length} writes`;
}

function text(sorted: Float64Array): string {
  return `p50 ${percentile(sorted, 0.5).toFixed(0)}, p99 ${percentile(sorted, 0.99).toFixed(0)}, largest ${
    percentile(sorted, 1).toFixed(0)
  }`;
}
