/** `node test/bench/preference-centers.ts [--mesh]`: reads, links, pages and submissions at a steady rate; never part of a timed test. */
import { Agent } from "node:http";
import { parseArgs } from "node:util";
import { declared, demoKey } from "../declaration.ts";
import { letter, news, storedPage } from "../stored-page.ts";
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
const warmingMax = 900;

const apply = declared({
  demo: {
    limits: { preference_center_get: 1_000_000, preference_center_url: 1_000_000 },
    subscriptionGroups: [{ id: letter, name: "Weekly letter", channel: "email" }, { id: news, name: "News", channel: "email" }],
  },
});
const { heddle, stop } = await startHeddleOn(values.mesh ? "mesh" : "one process", apply);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const path = "/preference_center/v1";
/** A link may be used 120 times a minute. */
const people = 60;
try {
  const page = storedPage.replace("</body>", `<!-- ${"x".repeat(20_000)} --></body>`);
  const made = await ask("POST", path, JSON.stringify({ name: "bench", preference_center_page_html: page, confirmation_page_html: "" }));
  const id = String(JSON.parse(made).preference_center_api_id);
  const names = Array.from({ length: people }, (_, at) => `ann${at}`);
  const attributes = names.map((name) => ({ external_id: name, email: `${name}@example.com` }));
  await ask("POST", "/users/track", JSON.stringify({ attributes }));
  const urls: string[] = [];
  for (const name of names) {
    urls.push(new URL(JSON.parse(await ask("GET", `${path}/${id}/url/${name}`)).preference_center_url).pathname);
  }
  let uses = 0;
  function nextUrl(): string {
    uses += 1;
    return urls[uses % people] ?? "";
  }
  console.log(`A page of ${page.length} bytes, ${perSecond} requests a second`);
  await show("get", perSecond, () => ask("GET", `${path}/${id}`));
  await show("url", perSecond / 2, () => ask("GET", `${path}/${id}/url/ann0`));
  await show("open the page", perSecond / 4, () => ask("GET", nextUrl()));
  await show("submit", perSecond / 8, () => ask("POST", `${nextUrl()}?save`, `subscription_group_${letter}=subscribed`));
} finally {
  agent.destroy();
  await stop();
}

async function show(name: string, rate: number, call: () => Promise<unknown>): Promise<void> {
  const count = Math.max(200, Math.round((requests * rate) / perSecond));
  const warming = Math.max(200, Math.round((warmingMax * rate) / perSecond));
  console.log(`${name}: ${latencyText(await atSteadyRate({ perSecond: rate, count, warming }, call))}`);
}

async function ask(method: "GET" | "POST", target: string, content = ""): Promise<string> {
  const type = target.startsWith("/preferences/") ? "application/x-www-form-urlencoded" : "application/json";
  const headers = { authorization: `Bearer ${demoKey}`, "content-type": type };
  const { status, body } = await send(agent, heddle.url, { method, path: target, body: Buffer.from(content), headers });
  if (status !== 200 && status !== 201) throw new Error(`Expected 200 or 201, got ${status}: ${body.toString().slice(0, 200)}`);
  return body.toString();
}
