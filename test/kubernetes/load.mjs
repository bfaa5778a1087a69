/**
 * Load from within the cluster, by the image's own Node and nothing else: clients that write one after another, each to users of
 * its own, and read between. Runs until /tmp/stop is there, then reads everything back and prints one line of JSON.
 *   URL, KEY, SCIM_TOKEN: where to and as whom; CLIENTS, PAUSE_MS: how much; PROBES: further requests as JSON, [{ method, path, body }]
 */
import { existsSync } from "node:fs";
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
const state = { sent: 0, answered: 0, failures: [], slowestMs: 0, lastAnswerAt: performance.now(), longestGapMs: 0, startedAt: Date.now() };
const users = new Map();

console.log(`started ${run}`);
await Promise.all([...Array.from({ length: Number(CLIENTS) }, (_, at) => client(at)), ...probes.map(probe)]);
const { lost, reordered, repeated } = await readBack();
console.log(`result ${
  JSON.stringify({
    seconds: Math.round((Date.now() - state.startedAt) / 1000),
    requests: state.answered,
    writes: [...users.values()].reduce((sum, { written }) => sum + written, 0),
    failed: state.failures.length,
    failures: state.failures.slice(0, 20),
    failingSeconds: failingSeconds(),
    slowestMs: Math.round(state.slowestMs),
    longestGapMs: Math.round(state.longestGapMs),
    lost,
    reordered,
    repeated,
  })
}`);

async function client(at) {
  for (let round = 0; !existsSync("/tmp/stop"); round += 1) {
    const name = `${run}-${at}-${round}`;
    const user = { written: 0 };
    users.set(name, user);
    for (let number = 1; number <= writesPerUser && !existsSync("/tmp/stop"); number += 1) {
      await untilAnswered(`${name}-${number}`, "POST", "/users/track", {
        attributes: [{ external_id: name, numbers: { add: [String(number)] }, last: number }],
        events: [{ external_id: name, name: "written", time: new Date().toISOString() }],
      });
      user.written = number;
      if (number % 10 === 0) await untilAnswered(undefined, "POST", "/users/export/ids", exportOf(name));
      await setTimeout(Number(PAUSE_MS));
    }
  }
}

async function probe({ method, path, body }) {
  while (!existsSync("/tmp/stop")) {
    await untilAnswered(undefined, method, path, body);
    await setTimeout(probePauseMs);
  }
}

/** Every attempt that is not answered by a success is a failure; it is repeated, a write with the same key. */
async function untilAnswered(idempotencyKey, method, path, body) {
  for (let attempt = 1;; attempt += 1) {
    const started = performance.now();
    const failure = await send(idempotencyKey, method, path, body);
    const now = performance.now();
    state.slowestMs = Math.max(state.slowestMs, now - started);
    if (failure.text === undefined) {
      state.answered += 1;
      state.longestGapMs = Math.max(state.longestGapMs, now - state.lastAnswerAt);
      state.lastAnswerAt = now;
      return failure.body;
    }
    state.failures.push({ at: Date.now() - state.startedAt, path, text: failure.text });
    if (attempt >= attemptsMax) throw new Error(`${path} failed ${attempt} times: ${failure.text}`);
    await setTimeout(100);
  }
}

async function send(idempotencyKey, method, path, body) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${path.startsWith("/scim/") ? scimToken : key}`,
        "x-request-origin": "tests",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return response.ok ? { body: JSON.parse(text) } : { text: `${response.status} ${text.slice(0, 200)}` };
  } catch (error) {
    return { text: `${error.message} ${error.cause?.message ?? error.cause?.code ?? ""}` };
  }
}

function exportOf(name) {
  return { external_ids: [name], fields_to_export: ["external_id", "custom_attributes", "custom_events"] };
}

/** What was written must be there, once, in its order. */
async function readBack() {
  const verdict = { lost: 0, reordered: 0, repeated: 0 };
  const failed = state.failures.length;
  for (const [name, { written }] of users) {
    if (written === 0) continue;
    const [found] = (await untilAnswered(undefined, "POST", "/users/export/ids", exportOf(name))).users;
    const numbers = (found?.custom_attributes?.numbers ?? []).map(Number);
    const count = found?.custom_events?.[0]?.count ?? 0;
    verdict.lost += Math.max(0, written - count);
    verdict.repeated += Math.max(0, count - written);
    // An array keeps the newest of its items
    const kept = Array.from({ length: numbers.length }, (_, at) => written - numbers.length + 1 + at);
    const inOrder = numbers.length >= Math.min(written, arrayItemsMin) && kept.every((number, at) => numbers[at] === number);
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
