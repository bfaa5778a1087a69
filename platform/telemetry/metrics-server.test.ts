/** The port for operators: which names it answers by. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import { openTelemetry } from "./telemetry.ts";
import { noMetrics } from "./metrics.ts";
import { type MetricsServer, serveMetrics } from "./metrics-server.ts";

let server: MetricsServer;
beforeAll(async () => {
  server = await serveMetrics({
    host: "127.0.0.1",
    port: 0,
    hosts: ["scrape.example"],
    metrics: { ...noMetrics, contentType: "text/plain", text: () => Promise.resolve("heddle_up 1\n") },
    health: () => ({ ready: true }),
  });
});
afterAll(() => server.close());

test.each([
  ["evil.example"],
  ["evil.example:9464"],
  ["127.0.0.1.evil.example"],
  ["not.scrape.example"],
  ["["],
])("a page that has bound %s to this address is told nothing, whatever it asks for", async (host) => {
  for (const path of ["/metrics", "/readyz", "/livez", "/"]) {
    const { status, body } = await ask(path, host);
    expect(status, path).toBe(421);
    expect(body).toContain("HEDDLE_INTERNAL_HOSTS");
    expect(body).not.toMatch(/heddle_up|ready"|"ok"/);
  }
});

test.each([["127.0.0.1:9464"], ["[::1]:9464"], ["localhost"], ["gateway"], ["gateway.heddle.svc.cluster.local:9464"], ["scrape.example"]])(
  "asked as %s it answers",
  async (host) => {
    expect(await ask("/metrics", host)).toEqual({ status: 200, body: "heddle_up 1\n" });
    expect(await ask("/readyz", host)).toMatchObject({ status: 200 });
  },
);

test("a process whose health cannot be looked at, as where its disk fails or its tables are closed already, is not ready", async () => {
  const said: string[] = [];
  const logger = { ...silentLogger, info: (_event: string, { url = "" }: Record<string, unknown> = {}) => void said.push(String(url)) };
  const config = { metricsHost: "127.0.0.1", metricsPort: 0, internalHosts: [], traces: undefined };
  const telemetry = await openTelemetry(config, { clock: systemClock, logger, part: "heddle" });
  telemetry.watch(() => {
    throw new Error("database is not open");
  });
  const answers = await Promise.all(["/readyz", "/metrics"].map((path) => ask(path, "localhost", said[0])));
  await telemetry.close();
  expect(answers).toMatchObject([{ status: 503, body: expect.not.stringContaining("database") }, {
    status: 200,
    body: expect.stringMatching(/^heddle_ready 0$/m),
  }]);
});

function ask(path: string, host: string, url = server.url): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers: { host } }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode, body }));
    });
    asked.on("error", reject).end();
  });
}
