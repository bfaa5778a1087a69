/** Gateways on a real cluster: how they leave their clients while they are replaced, and how they share the limits. After mesh.test.ts. */
import { beforeAll, describe, expect, test } from "vitest";
import { allReady, heddleKubectl, whyNoCluster } from "./cluster.ts";
import { figure } from "./figures.ts";
import { declareLoad, fileOfLoad, type Keys, podsOf, startLoad, stopLoad } from "./load.ts";

const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);
const requestsMin = 20_000;
/** Of GET /preference_center/v1/list, in a minute. */
const listLimit = 1_000;

describe.skipIf(missing !== undefined)(`Gateways${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  beforeAll(async () => {
    await allReady(300);
  });

  test("restarted again and again they cut off none of 20,000 writes that nobody repeats: kept, new and pipelined connections", async () => {
    await startLoad(await declareLoad(), [], "sent-once.mjs");
    const started = performance.now();
    let restarts = 0;
    do {
      await heddleKubectl("rollout", "restart", "deployment/gateway");
      await heddleKubectl("rollout", "status", "deployment/gateway", "--timeout=300s");
      await expect.poll(async () => (await podsOf("gateway")).length, { timeout: 120_000 }).toBe(2);
      restarts += 1;
    } while (Number(await fileOfLoad("/tmp/requests")) < requestsMin);
    const took = performance.now() - started;
    const { kept, fresh, pipelined, ...said } = await stopLoad<SentOnce>();
    const kinds = [kept, fresh, pipelined];
    figure(`${restarts} restarts of the gateways, no write repeated (a third number: pipelined)`, {
      took,
      says: kinds.map(({ requests }) => requests.toLocaleString("en")).join(" + "),
      failed: kinds.map(({ failed }) => failed).join(" + "),
    });
    expect(said).toEqual({ failures: [], miscounted: [] });
    for (const { requests } of kinds) expect(requests).toBeGreaterThan(requestsMin / 20);
  });

  test("three of them admit a third each while Redis is away, and two a half, though nobody says how many there are", async () => {
    try {
      const started = performance.now();
      await heddleKubectl("scale", "deployment/gateway", "--replicas=3");
      await allReady(120);
      const three = await sharesWithoutRedis(await declareLoad());
      expect(three).toEqual(Array.from({ length: 3 }, () => Math.floor(listLimit / 3) - 1));
      await heddleKubectl("scale", "deployment/gateway", "--replicas=2");
      await expect.poll(async () => (await podsOf("gateway")).length, { timeout: 120_000 }).toBe(2);
      const two = await sharesWithoutRedis(await declareLoad());
      expect(two).toEqual(Array.from({ length: 2 }, () => listLimit / 2 - 1));
      figure("3 gateways, then 2, without Redis: what each admits of 1,000 a minute", {
        took: performance.now() - started,
        says: [three, two].map((shares) => shares.map((left) => left + 1).join(" + ")).join("; "),
      });
    } finally {
      await heddleKubectl("scale", "deployment/gateway", "--replicas=2");
      await heddleKubectl("scale", "statefulset/redis", "--replicas=1");
      await allReady(120);
    }
  });
});

/** What is left of the limit at each gateway after its first request, while Redis is away. Redis is there again when it resolves. */
async function sharesWithoutRedis(keys: Keys): Promise<number[]> {
  const pods = await podsOf("gateway");
  await allCounted(pods.length);
  await heddleKubectl("scale", "statefulset/redis", "--replicas=0");
  await heddleKubectl("wait", "--for=delete", "pod/redis-0", "--timeout=60s");
  const left = await Promise.all(pods.map((pod) => leftAt(pod, keys)));
  await heddleKubectl("scale", "statefulset/redis", "--replicas=1");
  await allReady(120);
  return left;
}

/** When each of so many gateways has spoken to Redis since all of them did, so that each has heard how many there are. */
async function allCounted(count: number): Promise<void> {
  let since: number | undefined;
  await expect.poll(async () => {
    const [now = 0, ...spoke] = (await inRedis(spokenAt)).split("\n").filter((line) => line !== "").map(Number);
    if (spoke.length !== count) return `${spoke.length} of ${count}`;
    since ??= now;
    return spoke.every((at) => at > Number(since)) ? "all" : "not all again";
  }, { timeout: 60_000, interval: 1_000 }).toBe("all");
}

/** The time of Redis, and when each gateway last said that it is there; in milliseconds. */
const spokenAt = `local time = redis.call('TIME')
  local said = { tostring(time[1] * 1000 + math.floor(time[2] / 1000)) }
  for _, key in ipairs(redis.call('KEYS', 'limit:*:gateways')) do
    for at, entry in ipairs(redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')) do
      if at % 2 == 0 then table.insert(said, entry) end
    end
  end
  return said`;

function inRedis(script: string): Promise<string> {
  return heddleKubectl("exec", "redis-0", "--", "redis-cli", "EVAL", script, "0");
}

async function leftAt(pod: string, { apiKey }: Keys): Promise<number> {
  const script = `const headers = { authorization: "Bearer ${apiKey}" };
    for (;;) {
      const answer = await fetch("http://127.0.0.1:8080/preference_center/v1/list", { headers });
      await answer.text();
      // A gateway learns of a key within a second
      if (answer.status !== 401) {
        console.log(answer.headers.get("x-ratelimit-remaining"));
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }`;
  return Number(await heddleKubectl("exec", pod, "--", "node", "--input-type=module", "-e", script));
}

interface SentOnce {
  readonly kept: Counts;
  readonly fresh: Counts;
  readonly pipelined: Counts;
  readonly failures: readonly string[];
  readonly miscounted: readonly string[];
}

interface Counts {
  readonly requests: number;
  readonly failed: number;
}
