/** `node test/bench/translations.ts [--mesh]`: views, lists and PUTs of translations at a steady rate; never part of a timed test. */
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { startMeshServers } from "../mesh-servers.ts";
import { percentile } from "./load.ts";

const { values } = parseArgs({
  options: {
    mesh: { type: "boolean", default: false },
    rate: { type: "string", default: "200" },
    requests: { type: "string", default: "3000" },
  },
});
const [perSecond, requests] = [Number(values.rate), Number(values.requests)];
const [campaigns, messagesEach, textsEach] = [100, 10, 20];
const [warmingMin, warmingMax, requestsMin] = [300, 900, 1_000];

const servers = values.mesh ? await startMeshServers({ isMeasured: true }) : undefined;
if (servers) Object.assign(process.env, { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_MESH: JSON.stringify(servers.settings) });
const { demoKey, startHeddle } = await import("../heddle.ts");
const heddle = await startHeddle({ apply: declaration(), env: { HEDDLE_LOG_LEVEL: "error" } });
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
try {
  for (let at = 0; at < campaigns; at += 1) await Promise.all(Array.from({ length: messagesEach }, (_, n) => put(at * messagesEach + n)));
  console.log(`${campaigns * messagesEach} messages of ${textsEach} texts of 100 characters, ${perSecond} requests a second`);
  const some = (many: number) => Math.floor(Math.random() * many);
  await show("view one", perSecond, () => get(`${messageQuery(some(campaigns * messagesEach))}&locale_id=es-MX`));
  await show(`list the ${messagesEach} of a campaign`, perSecond / 4, () => get(`campaign_id=${idOf(1, some(campaigns))}`));
  await show("PUT", perSecond / 4, () => put(some(campaigns * messagesEach)));
} finally {
  agent.destroy();
  await heddle.close();
  await servers?.stop();
}

/** At a steady rate, whatever the answers take; what warms Node and Cassandra up does not count. */
async function show(name: string, rate: number, call: () => Promise<void>): Promise<void> {
  const latencies: number[] = [];
  const began = performance.now();
  const count = Math.max(requestsMin, Math.round((requests * rate) / perSecond));
  const warming = Math.max(warmingMin, Math.round((warmingMax * rate) / perSecond));
  await Promise.all(Array.from({ length: count + warming }, async (_, n) => {
    const due = began + (n / rate) * 1000;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    await call();
    if (n >= warming) latencies.push(performance.now() - due);
  }));
  const sorted = Float64Array.from(latencies).sort();
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((p) => percentile(sorted, p).toFixed(1));
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms, p99.9 ${p999} ms`);
}

function get(query: string): Promise<void> {
  return send("GET", `/campaigns/translations?${query}`);
}

function put(at: number): Promise<void> {
  const texts = Object.fromEntries(Array.from({ length: textsEach }, (_, text) => [`id_${text}`, "ñ".repeat(100)]));
  return send("PUT", `/campaigns/translations?${messageQuery(at)}`, JSON.stringify({ locale_id: "es-MX", translation_map: texts }));
}

function send(method: string, path: string, body?: string): Promise<void> {
  return new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${demoKey}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const sent = request(heddle.url + path, { agent, method, headers }, (response) => {
      response.resume().on(
        "end",
        () => response.statusCode === 200 ? done() : failed(new Error(`Expected 200, got ${response.statusCode}`)),
      );
    });
    sent.on("error", failed).end(body);
  });
}

function messageQuery(at: number): string {
  return `campaign_id=${idOf(1, Math.floor(at / messagesEach))}&message_variation_id=${idOf(2, at)}`;
}

function idOf(kind: number, at: number): string {
  return `019c0000-0000-7000-800${kind}-${String(at).padStart(12, "0")}`;
}

function declaration(): string {
  const source = Object.fromEntries(Array.from({ length: textsEach }, (_, text) => [`id_${text}`, "a".repeat(100)]));
  const owners = Array.from({ length: campaigns }, (_, at) => ({
    id: idOf(1, at),
    name: `Campaign ${at}`,
    variations: Array.from({ length: messagesEach }, (_, message) => ({
      id: idOf(2, at * messagesEach + message),
      name: `Message ${message}`,
      channel: "email",
      locales: ["es-MX"],
      source,
    })),
  }));
  const apiKeys = [{ name: "all", permissions: ["*"], secret: demoKey }];
  const workspace = { name: "demo", apiKeys, translations: { enabled: true, locales: ["es-MX"] }, campaigns: owners };
  return JSON.stringify({ companies: [{ name: "acme", workspaces: [workspace] }] });
}
