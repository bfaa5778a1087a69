/**
 * What huge input costs the server (reliability S3): refused for little CPU and no more memory than twice the largest body. CI asks
 * only that it is refused; `npm run hostile` takes medians of CPU and memory beside those of a plain request and of a bare server that
 * is sent the same: how fast the machine is does not matter, and what grows with the square of the input is beyond any factor.
 */
import { env } from "node:process";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import type { Least } from "../bare-server.ts";
import { bareSuite } from "../bare-suite.ts";
import { demoKey, testShape } from "../heddle.ts";
import { costIsTold, cpuMs, forgetPeak, memoryMb } from "../process-cost.ts";
import { head, rawExchange } from "../raw.ts";
import { median } from "../statistics.ts";
import { heddleSuite } from "../suite.ts";

const isLong = env.HEDDLE_HOSTILE === "long";
const rounds = isLong ? 15 : 1;
/** Of what the plain request and the bare server cost together: what is read, counted, parsed and reported twice or thrice is below. */
const timesMax = 8;
const suite = heddleSuite();
/** Where the system reports costs, of one process. */
const canMeasure = isLong && testShape === "embedded" && costIsTold;
const bare = bareSuite(canMeasure);

const start = ["Host: localhost", `Authorization: Bearer ${demoKey}`, "Content-Type: application/json"];

interface Huge {
  readonly status: number;
  /** What any server must do with it before it can refuse it in the same way. */
  readonly least: Least;
  readonly headers: readonly string[];
  readonly body: readonly (string | Uint8Array)[];
  readonly route: string;
  readonly bodyMax: number;
}

function sized(status: number, least: Least, body: string | Uint8Array, headers: readonly string[] = []): Huge {
  return { ...track, status, least, headers: [`Content-Length: ${body.length}`, ...headers], body: [body] };
}

function piecesOf({ headers, body, route }: Huge, more: readonly string[] = []): (string | Uint8Array)[] {
  return [head(`${route} HTTP/1.1`, [...start, "Connection: close", ...more, ...headers]), ...body];
}

const track = { route: "POST /users/track", bodyMax: limits.trackRequestBytesMax };
/** The route with the largest body. */
const translations = { route: "PUT /campaigns/translations", bodyMax: limits.translationRequestBytesMax };

const megabytes = 1024 * 1024;
const members = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":0`).join();
const emptyObjects = `[${"{},".repeat(250_000)}{}]`;
const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
const bomb = gzipSync(Buffer.alloc(20 * megabytes, " "));

const huge: readonly (readonly [what: string, sent: Huge])[] = [
  ["100 MB that are announced", { ...sized(413, "head", "{"), headers: [`Content-Length: ${100 * megabytes}`] }],
  ["100 MB in chunks", {
    ...track,
    status: 413,
    least: "read",
    headers: ["Transfer-Encoding: chunked"],
    body: Array.from({ length: 1_600 }, () => chunk),
  }],
  ["ten million elements", sized(413, "head", `{"attributes":[${"0,".repeat(10_000_000)}0]}`)],
  ["a million elements", sized(400, "scan", `{"attributes":[${"0,".repeat(1_000_000)}0]}`)],
  ["a million empty objects", sized(400, "scan", `{"attributes":[${"{},".repeat(1_000_000)}{}]}`)],
  ["300,000 members of an object", sized(400, "scan", `{"attributes":[{${members(300_000)}}]}`)],
  ["a depth of a million", sized(400, "scan", "[".repeat(1_000_000) + "]".repeat(1_000_000))],
  ["a key of a megabyte", sized(400, "parse", JSON.stringify({ attributes: [{ external_id: "a", ["k".repeat(1_000_000)]: 1 }] }))],
  ["gzip, a thousand to one", sized(413, "unfold", bomb, ["Content-Encoding: gzip"])],
  ["250,000 numbers and no end", sized(400, "parse", `{"attributes":[${"0,".repeat(250_000)}0`)],
  ["seven million empty objects in translations", {
    ...sized(400, "read", `{"x":[${Array.from({ length: 28 }, () => emptyObjects).join()}]}`),
    ...translations,
  }],
  ["three thousand headers", sized(431, "head", "{}", Array.from({ length: 3_000 }, (_, at) => `X-H${at}: ${at}`))],
];

interface Cost {
  readonly cpu: number;
  readonly memory: number;
}

async function costOf(sent: Huge): Promise<Cost> {
  const { pid, url } = suite.heddle;
  const [cpu, before] = canMeasure ? [cpuMs(pid), memoryMb(pid)] : [0, undefined];
  if (canMeasure) forgetPeak(pid);
  const answer = await rawExchange(url, piecesOf(sent), 15_000);
  expect(answer.statuses, answer.text.slice(0, 300)).toEqual([sent.status]);
  return { cpu: canMeasure ? cpuMs(pid) - cpu : 0, memory: before ? memoryMb(pid).peak - before.now : 0 };
}

async function leastCpuOf(sent: Huge): Promise<number> {
  if (!canMeasure) return 0;
  const before = cpuMs(bare.pid);
  await rawExchange(bare.url, piecesOf(sent, [`X-Least: ${sent.least}`, `X-Bytes-Max: ${sent.bodyMax}`]), 15_000);
  return cpuMs(bare.pid) - before;
}

test.each(huge)("%s: refused", async (what, sent) => {
  const plain = sized(201, "parse", JSON.stringify({ attributes: [{ external_id: "a", a: 1 }] }));
  const costs: Cost[] = [];
  const plainly: number[] = [];
  const least: number[] = [];
  // One and the others in turn: what the machine does meanwhile meets all
  for (let round = 0; round < rounds; round += 1) {
    costs.push(await costOf(sent));
    plainly.push((await costOf(plain)).cpu);
    least.push(await leastCpuOf(sent));
  }
  if (!canMeasure) return;
  const cpu = median(costs.map((cost) => cost.cpu));
  const beside = median(plainly) + median(least);
  const grown = costs.map((cost) => cost.memory);
  process.stdout.write(
    `${what}: ${cpu.toFixed(1)} ms of CPU, ${(cpu / beside).toFixed(1)} times ${median(plainly).toFixed(1)} (plain) and ${
      median(least).toFixed(1)
    } (bare); ${median(grown).toFixed(1)} MB (the first time, when the heap grows, up to ${Math.max(...grown).toFixed(1)})\n`,
  );
  expect(cpu).toBeLessThan(timesMax * beside);
  expect(median(grown)).toBeLessThan(2 * sent.bodyMax / megabytes);
}, 120_000);
