/** `node test/bench/preference-centers.ts [--mesh]`: reads, links, pages and submissions at a steady rate; never part of a timed test. */
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { startMeshServers } from "../mesh-servers.ts";
import { letter, news, storedPage } from "../stored-page.ts";
import { percentile } from "./load.ts";

const { values } = parseArgs({
  options: {
    mesh: { type: "boolean", default: false },
    rate: { type: "string", default: "200" },
    requests: { type: "string", default: "3000" },
  },
});
const [perSecond, requests] = [Number(values.rate), Number(values.requests)];
const warmingMax = 900;

const servers = values.mesh ? await startMeshServers({ isMeasured: true }) : undefined;
if (servers) Object.assign(process.env, { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_MESH: JSON.stringify(servers.settings) });
const { demoKey, startHeddle } = await import("../heddle.ts");
const heddle = await startHeddle({ apply: declaration(), env: { HEDDLE_LOG_LEVEL: "error" } });
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const path = "/preference_center/v1";
try {
  const page = storedPage.replace("</body>", `<!-- ${"x".repeat(20_000)} --></body>`);
  const made = await send("POST", path, JSON.stringify({ name: "bench", preference_center_page_html: page, confirmation_page_html: "" }));
  const id = String(JSON.parse(made).preference_center_api_id);
  await send("POST", "/users/track", JSON.stringify({ attributes: [{ external_id: "ann", email: "ann@example.com" }] }));
  const url = new URL(JSON.parse(await send("GET", `${path}/${id}/url/ann`)).preference_center_url).pathname;
  console.log(`A page of ${page.length} bytes, ${perSecond} requests a second`);
  await show("get", perSecond, () => send("GET", `${path}/${id}`));
  await show("url", perSecond / 2, () => send("GET", `${path}/${id}/url/ann`));
  await show("open the page", perSecond / 4, () => send("GET", url));
  await show("submit", perSecond / 8, () => send("POST", `${url}?save`, `subscription_group_${letter}=subscribed`));
} finally {
  agent.destroy();
  await heddle.close();
  await servers?.stop();
}

/** At a steady rate, whatever the answers take; what warms Node and Cassandra up does not count. */
async function show(name: string, rate: number, call: () => Promise<unknown>): Promise<void> {
  const latencies: number[] = [];
  const count = Math.max(200, Math.round((requests * rate) / perSecond));
  const warming = Math.max(200, Math.round((warmingMax * rate) / perSecond));
  const began = performance.now();
  await Promise.all(Array.from({ length: count + warming }, async (_, n) => {
    const due = began + (n / rate) * 1000;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    await call();
    if (n >= warming) latencies.push(performance.now() - due);
  }));
  const sorted = Float64Array.from(latencies).sort();
  const [p50, p99] = [0.5, 0.99].map((p) => percentile(sorted, p).toFixed(1));
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms`);
}

function send(method: string, target: string, body?: string): Promise<string> {
  return new Promise((done, failed) => {
    const type = target.startsWith("/preferences/") ? "application/x-www-form-urlencoded" : "application/json";
    const headers = { authorization: `Bearer ${demoKey}`, ...(body === undefined ? {} : { "content-type": type }) };
    const sent = request(heddle.url + target, { agent, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        if (response.statusCode === 200 || response.statusCode === 201) done(text);
        else failed(new Error(`Expected 200 or 201, got ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    sent.on("error", failed).end(body);
  });
}

function declaration(): string {
  return `
companies:
  - name: acme
    onboardedAt: 2020-01-01
    workspaces:
      - name: demo
        limits: { preference_center_get: 1000000, preference_center_url: 1000000 }
        apiKeys: [{ name: all, permissions: ["*"], secret: ${demoKey} }]
        subscriptionGroups: [{ id: ${letter}, name: Weekly letter, channel: email }, { id: ${news}, name: News, channel: email }]
`;
}
