/**
 * Load from within the cluster, by the image's own Node and nothing else: clients that write one after another, each to users of
 * its own, and read between. Every other one makes a new connection for each request, as kept ones hide who takes none any more. Runs until /tmp/stop is there, then reads everything back and prints one line of JSON.
 *   URL, KEY, SCIM_TOKEN: where to and as whom; CLIENTS, PAUSE_MS: how much; PROBES: further requests as JSON, [{ method, path, body }]
 */
import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

const { URL: url, KEY: key, SCIM_TOKEN: scimToken, CLIENTS = "8", PAUSE_MS = "20", PROBES = "[]" } = process.env;
const run = `run-${Date.now().toString(36)}`;
const probes = JSON.parse(PROBES);
const writesPerUser = 200;
const attemptsMax = 400;
// SCIM has a limit of 5,000 requests a day
const probePauseMs = 500;
const arrayItemsMin = 25;
const kept = { agent: new Agent({ keepAlive: true }), answered: 0, failed: 0 };
const fresh = { agent: new Agent({ keepAlive: false }), answered: 0, failed: 0 };
const state = { failures: [], slowestMs: 0, lastAnswerAt: performance.now(), longestGapMs: 0, startedAt: Date.now() };
const users = new Map();

console.log(`started ${run}`);
await Promise.all([...Array.from({ length: Number(CLIENTS) }, (_, at) => client(at)), ...probes.map(probe)]);
const { lost, reordered, repeated } = await readBack();
console.log(`result ${
  JSON.stringify({
    seconds: Math.round((Date.now() - state.startedAt) / 1000),
    requests: kept.answered + fresh.answered,
    kept: { requests: kept.answered, failed: kept.failed },
    fresh: { requests: fresh.answered, failed: fresh.failed },
    writes: [...users.values()].reduce((sum, { written }) => sum + written, 0),
    failed: state.failures.length,
    failures: state.failures.length > 20 ? [...state.failures.slice(0, 10), ...state.failures.slice(-10)] : state.failures,
    failingSeconds: failingSeconds(),
    slowestMs: Math.round(state.slowestMs),
    longestGapMs: Math.round(state.longestGapMs),
    lost,
    reordered,
    repeated,
  })
}`);

async function client(at) {
  const connections = at % 2 === 0 ? kept : fresh;
  for (let round = 0; !existsSync("/tmp/stop"); round += 1) {
    const name = `${run}-${at}-${round}`;
    const user = { written: 0 };
    users.set(name, user);
    for (let number = 1; number <= writesPerUser && !existsSync("/tmp/stop"); number += 1) {
      await untilAnswered(connections, {
        idempotencyKey: `${name}-${number}`,
        method: "POST",
        path: "/users/track",
        body: {
          attributes: [{ external_id: name, numbers: { add: [String(number)] }, last: number }],
          events: [{ external_id: name, name: "written", time: new Date().toISOString() }],
        },
      });
      user.written = number;
      if (number % 10 === 0) await untilAnswered(connections, exportOf(name));
      await setTimeout(Number(PAUSE_MS));
    }
  }
}

async function probe({ method, path, body }, at) {
  const connections = at % 2 === 0 ? kept : fresh;
  while (!existsSync("/tmp/stop")) {
    await untilAnswered(connections, { method, path, body });
    await setTimeout(probePauseMs);
  }
}

/** Every attempt that is not answered by a success is a failure; it is repeated, a write with the same key. */
async function untilAnswered(connections, asked) {
  for (let attempt = 1;; attempt += 1) {
    const started = performance.now();
    const failure = await send(connections, asked);
    const now = performance.now();
    state.slowestMs = Math.max(state.slowestMs, now - started);
    if (failure.text === undefined) {
      connections.answered += 1;
      state.longestGapMs = Math.max(state.longestGapMs, now - state.lastAnswerAt);
      state.lastAnswerAt = now;
      return failure.body;
    }
    connections.failed += 1;
    state.failures.push({ at: Date.now() - state.startedAt, tookMs: Math.round(now - started), path: asked.path, text: failure.text });
    if (attempt >= attemptsMax) throw new Error(`${asked.path} failed ${attempt} times: ${failure.text}`);
    await setTimeout(100);
  }
}

async function send({ agent }, { idempotencyKey, method, path, body }) {
  try {
    const { status, text } = await answerOf({
      agent,
      method,
      path,
      headers: {
        authorization: `Bearer ${path.startsWith("/scim/") ? scimToken : key}`,
        "x-request-origin": "tests",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
    }, body === undefined ? "" : JSON.stringify(body));
    return status < 300 ? { body: JSON.parse(text) } : { text: `${status} ${text.slice(0, 200)}` };
  } catch (error) {
    return { text: `${error.message} ${error.code ?? ""}` };
  }
}

function answerOf(options, body) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, signal: AbortSignal.timeout(20_000), ...options }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk)).once("error", reject);
      answer.once("end", () => resolve({ status: answer.statusCode, text }));
    });
    asked.once("error", reject).end(body);
  });
}

function exportOf(name) {
  const body = { external_ids: [name], fields_to_export: ["external_id", "custom_attributes", "custom_events"] };
  return { method: "POST", path: "/users/export/ids", body };
}

/** What was written must be there, once, in its order. */
async function readBack() {
  const verdict = { lost: 0, reordered: 0, repeated: 0 };
  const failed = state.failures.length;
  for (const [name, { written }] of users) {
    if (written === 0) continue;
    const [found] = (await untilAnswered(kept, exportOf(name))).users;
    const numbers = (found?.custom_attributes?.numbers ?? []).map(Number);
    const count = found?.custom_events?.[0]?.count ?? 0;
    verdict.lost += Math.max(0, written - count);
    verdict.repeated += Math.max(0, count - written);
    // An array keeps the newest of its items
    const newest = Array.from({ length: numbers.length }, (_, at) => written - numbers.length + 1 + at);
    const inOrder = numbers.length >= Math.min(written, arrayItemsMin) && newest.every((number, at) => numbers[at] === number);
    if (!inOrder || found?.custom_attributes?.last !== written) verdict.reordered += 1;
  }
  state.failures.length = failed;
  return verdict;
}

/** From the first failure to the last, in seconds. */
function failingSeconds() {
  const times = state.failures.map(({ at }) => at);
  return times.length === 0 ? 0 : Math.round((Math.max(...times) - Math.min(...times)) / 100) / 10;
}
