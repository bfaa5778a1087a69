/**
 * Writes that nobody repeats, from within the cluster: each is sent once, without an Idempotency-Key, on connections that are kept, on a new one
 * each, and eight at once on one connection (HTTP pipelining). Runs until /tmp/stop is there, then prints one line of JSON: how many were
 * answered, which were not, and whether each user's counter says what was answered. URL, KEY: where to and as whom.
 */
import { existsSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

const { hostname, port } = new URL(process.env.URL);
const headers = { authorization: `Bearer ${process.env.KEY}`, "content-type": "application/json" };
const run = `once-${Date.now().toString(36)}`;
const pipelined = 8;
const appliedMsMax = 30_000;
const kinds = {
  kept: { clients: 6, pauseMs: 10, open: () => oneByOne(new Agent({ keepAlive: true, maxSockets: 1 })) },
  fresh: { clients: 3, pauseMs: 10, open: () => oneByOne(new Agent({ keepAlive: false })) },
  pipelined: { clients: 2, pauseMs: 40, open: () => manyAtOnce() },
};
const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { requests: 0, failed: 0 }]));
const failures = [];
const users = new Map();

console.log(`started ${run}`);
await Promise.all(Object.entries(kinds).flatMap(([kind, { clients }]) => Array.from({ length: clients }, (_, at) => client(kind, at))));
console.log(`result ${JSON.stringify({ ...counts, failures: failures.slice(0, 20), miscounted: await miscounted() })}`);

async function client(kind, at) {
  const { open, pauseMs } = kinds[kind];
  const name = `${run}-${kind}-${at}`;
  const body = JSON.stringify({ attributes: [{ external_id: name, n: { inc: 1 } }] });
  const connection = open();
  users.set(name, 0);
  while (!existsSync("/tmp/stop")) {
    for (const { status, text } of await connection.send(body)) {
      counts[kind].requests += 1;
      if (status === 201) users.set(name, users.get(name) + 1);
      else {
        counts[kind].failed += 1;
        failures.push(`${kind}: ${status ?? ""} ${text}`);
      }
    }
    writeFileSync("/tmp/requests", String(Object.values(counts).reduce((sum, { requests }) => sum + requests, 0)));
    await setTimeout(pauseMs);
  }
  connection.close();
}

function oneByOne(agent) {
  return { send: async (body) => [await answerOf(agent, { method: "POST", path: "/users/track", body })], close: () => agent.destroy() };
}

function answerOf(agent, { method, path, body }) {
  return new Promise((resolve) => {
    const asked = request({ hostname, port, agent, method, path, headers, signal: AbortSignal.timeout(20_000) }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk)).once("error", ({ message }) => resolve({ text: message }));
      answer.once("end", () => resolve({ status: answer.statusCode, text }));
    });
    asked.once("error", ({ message, code }) => resolve({ text: `${message} ${code ?? ""}` })).end(body);
  });
}

/** Goes on with its connection until an answer says that it closes. */
function manyAtOnce() {
  let open;
  return {
    async send(body) {
      open ??= connect(Number(port), hostname);
      const { answers, closes } = await answersOf(open, body);
      if (closes) {
        open.destroy();
        open = undefined;
      }
      return answers;
    },
    close: () => open?.destroy(),
  };
}

function answersOf(socket, body) {
  const lines = Object.entries({ host: hostname, ...headers, "content-length": Buffer.byteLength(body) });
  const one = `POST /users/track HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
  return new Promise((resolve) => {
    const answers = [];
    let received = "";
    let closes = false;
    const late = globalThis.setTimeout(() => ended("no answer for 20 s"), 20_000);
    function ended(why) {
      clearTimeout(late);
      socket.removeAllListeners();
      socket.on("error", () => {});
      const missing = Array.from({ length: pipelined - answers.length }, () => ({ text: why }));
      resolve({ answers: [...answers, ...missing], closes: closes || missing.length > 0 });
    }
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let found = firstAnswer(received); found !== undefined; found = firstAnswer(received)) {
        answers.push(found);
        closes ||= found.closes;
        received = received.slice(found.length);
      }
      if (answers.length === pipelined) ended("");
    });
    socket.once("error", ({ message }) => ended(message)).once("close", () => ended("closed before all answers"));
    socket.write(one.repeat(pipelined));
  });
}

/** The first whole answer of what was received. */
function firstAnswer(received) {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const fields = received.slice(0, head);
  const [, bytes] = /^content-length: (\d+)/im.exec(fields) ?? [];
  if (bytes === undefined) throw new Error(`Expected an answer with its length, got ${fields}`);
  const length = head + 4 + Number(bytes);
  if (received.length < length) return undefined;
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(fields)?.[1]);
  return { status, text: received.slice(head + 4, length), closes: /^connection: close/im.test(fields), length };
}

/** Users whose counter is not the number of their answers, when all that was answered had time to be seen. */
async function miscounted() {
  const agent = new Agent({ keepAlive: true });
  const until = performance.now() + appliedMsMax;
  const found = [];
  for (const [name, answered] of users) {
    let n = await countOf(agent, name);
    while (n !== answered && performance.now() < until) {
      await setTimeout(200);
      n = await countOf(agent, name);
    }
    if (n !== answered) found.push(`${name}: ${n} of ${answered}`);
  }
  agent.destroy();
  return found;
}

async function countOf(agent, name) {
  const body = JSON.stringify({ external_ids: [name], fields_to_export: ["custom_attributes"] });
  const { text } = await answerOf(agent, { method: "POST", path: "/users/export/ids", body });
  return JSON.parse(text).users?.[0]?.custom_attributes?.n;
}
