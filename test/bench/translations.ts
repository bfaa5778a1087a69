/** `node test/bench/translations.ts [--mesh]`: views, lists and PUTs of translations at a steady rate; never part of a timed test. */
import { Agent } from "node:http";
import { parseArgs } from "node:util";
import { declared, demoKey } from "../declaration.ts";
import { latencyText, send } from "./load.ts";
import { atSteadyRate, startHeddleOn } from "./steady.ts";

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

const { heddle, stop } = await startHeddleOn(values.mesh ? "mesh" : "one process", declaration());
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
  await stop();
}

async function show(name: string, rate: number, call: () => Promise<void>): Promise<void> {
  const count = Math.max(requestsMin, Math.round((requests * rate) / perSecond));
  const warming = Math.max(warmingMin, Math.round((warmingMax * rate) / perSecond));
  console.log(`${name}: ${latencyText(await atSteadyRate({ perSecond: rate, count, warming }, call), [0.5, 0.99, 0.999])}`);
}

function get(query: string): Promise<void> {
  return ask("GET", `/campaigns/translations?${query}`);
}

function put(at: number): Promise<void> {
  const texts = Object.fromEntries(Array.from({ length: textsEach }, (_, text) => [`id_${text}`, "ñ".repeat(100)]));
  return ask("PUT", `/campaigns/translations?${messageQuery(at)}`, JSON.stringify({ locale_id: "es-MX", translation_map: texts }));
}

async function ask(method: "GET" | "PUT", path: string, body = ""): Promise<void> {
  const headers = { authorization: `Bearer ${demoKey}` };
  const { status } = await send(agent, heddle.url, { method, path, body: Buffer.from(body), headers });
  if (status !== 200) throw new Error(`Expected 200, got ${status}`);
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
  return declared({ demo: { translations: { enabled: true, locales: ["es-MX"] }, campaigns: owners } });
}
