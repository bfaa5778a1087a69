/**
 * What huge input costs the server (reliability S3): refused for little CPU and no more memory than twice the largest body. CI asks
 * only that it is refused; `npm run hostile` takes medians of CPU and memory, which a busy machine does not change much.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { env } from "node:process";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { demoKey, testShape } from "../heddle.ts";
import { head, rawExchange } from "../raw.ts";
import { median } from "../statistics.ts";
import { heddleSuite } from "../suite.ts";

const isLong = env.HEDDLE_HOSTILE === "long";
const rounds = isLong ? 15 : 1;
const suite = heddleSuite();

const start = ["Host: localhost", `Authorization: Bearer ${demoKey}`, "Content-Type: application/json"];

function request(headers: readonly string[], body: string | Uint8Array = "", line = "POST /users/track"): (string | Uint8Array)[] {
  return [head(`${line} HTTP/1.1`, [...start, "Connection: close", ...headers]), body].filter((piece) => piece.length > 0);
}

function sized(body: string | Uint8Array, headers: readonly string[] = []): (string | Uint8Array)[] {
  return request([`Content-Length: ${body.length}`, ...headers], body);
}

/** The route with the largest body: six times that of others. */
function translations(body: string): (string | Uint8Array)[] {
  return request([`Content-Length: ${body.length}`], body, "PUT /campaigns/translations");
}

const megabytes = 1024 * 1024;
const members = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":0`).join();
const emptyObjects = `[${"{},".repeat(250_000)}{}]`;
const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
const bomb = gzipSync(Buffer.alloc(20 * megabytes, " "));

const huge: readonly (readonly [what: string, status: number, pieces: readonly (string | Uint8Array)[]])[] = [
  ["100 MB that are announced", 413, request([`Content-Length: ${100 * megabytes}`], "{")],
  ["100 MB in chunks", 413, [...request(["Transfer-Encoding: chunked"]), ...Array.from({ length: 1_600 }, () => chunk)]],
  ["ten million elements", 413, sized(`{"attributes":[${"0,".repeat(10_000_000)}0]}`)],
  ["a million elements", 400, sized(`{"attributes":[${"0,".repeat(1_000_000)}0]}`)],
  ["a million empty objects", 400, sized(`{"attributes":[${"{},".repeat(1_000_000)}{}]}`)],
  ["300,000 members of an object", 400, sized(`{"attributes":[{${members(300_000)}}]}`)],
  ["a depth of a million", 400, sized("[".repeat(1_000_000) + "]".repeat(1_000_000))],
  ["a key of a megabyte", 400, sized(JSON.stringify({ attributes: [{ external_id: "a", ["k".repeat(1_000_000)]: 1 }] }))],
  ["gzip, a thousand to one", 413, sized(bomb, ["Content-Encoding: gzip"])],
  ["250,000 numbers and no end", 400, sized(`{"attributes":[${"0,".repeat(250_000)}0`)],
  ["seven million empty objects in translations", 400, translations(`{"x":[${Array.from({ length: 28 }, () => emptyObjects).join()}]}`)],
  ["three thousand headers", 431, sized("{}", Array.from({ length: 3_000 }, (_, at) => `X-H${at}: ${at}`))],
];

/** Milliseconds of CPU that the server's process has had, all of its threads. */
function cpuMs(): number {
  const tasks = `/proc/${suite.heddle.pid}/task`;
  const times = readdirSync(tasks).map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]));
  return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** Megabytes of memory of the process: now, and the most since `forgetPeak`. */
function memory(): { now: number; peak: number } {
  const text = readFileSync(`/proc/${suite.heddle.pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

function forgetPeak(): void {
  writeFileSync(`/proc/${suite.heddle.pid}/clear_refs`, "5");
}

interface Cost {
  readonly cpu: number;
  readonly memory: number;
}

async function costOf(pieces: readonly (string | Uint8Array)[], status: number): Promise<Cost> {
  const [cpu, before] = [canMeasure ? cpuMs() : 0, canMeasure ? memory() : undefined];
  if (canMeasure) forgetPeak();
  const answer = await rawExchange(suite.heddle.url, pieces, 15_000);
  expect(answer.statuses, answer.text.slice(0, 300)).toEqual([status]);
  return { cpu: canMeasure ? cpuMs() - cpu : 0, memory: before ? memory().peak - before.now : 0 };
}

/** Where the system tells, of one process. */
const canMeasure = isLong && testShape === "embedded" && existsSync("/proc/self/schedstat");

test.each(huge)("%s: refused", async (what, status, pieces) => {
  const usual = sized(JSON.stringify({ attributes: [{ external_id: "a", a: 1 }] }));
  const costs: Cost[] = [];
  const usually: Cost[] = [];
  // One and the other in turn: what the machine does meanwhile meets both
  for (let round = 0; round < rounds; round += 1) {
    costs.push(await costOf(pieces, status));
    usually.push(await costOf(usual, 201));
  }
  if (!canMeasure) return;
  const cpu = median(costs.map((cost) => cost.cpu)) - median(usually.map((cost) => cost.cpu));
  const grown = costs.map((cost) => cost.memory);
  process.stdout.write(
    `${what}: ${cpu.toFixed(1)} ms of CPU, ${median(grown).toFixed(1)} MB (the first time, when the heap grows, up to ${
      Math.max(...grown).toFixed(1)
    })\n`,
  );
  expect(cpu).toBeLessThan(50);
  const bodyMax = what.endsWith("translations") ? limits.translationRequestBytesMax : limits.trackRequestBytesMax;
  expect(median(grown)).toBeLessThan(2 * bodyMax / megabytes);
}, 120_000);
