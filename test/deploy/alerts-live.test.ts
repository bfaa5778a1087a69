/** A real Prometheus scrapes Heddle while a lane stands, a user waits for a human, a part is away and a stream is full; the dashboard asks it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { databaseFile } from "../../cli/target/data-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { openJetStreamLog } from "../../platform/log/jetstream.ts";
import { silentLogger } from "../../platform/logger.ts";
import { measuredLog } from "../../platform/telemetry/measured-log.ts";
import { openTelemetry } from "../../platform/telemetry/telemetry.ts";
import { type Heddle, startHeddle } from "../heddle.ts";
import { startNats } from "../servers/nats.ts";
import { describeWith } from "../servers/require.ts";
import { freePorts, startServer } from "../servers/server-process.ts";
import { repository } from "./manifests.ts";
import { provisionTool } from "./provision.ts";
import { describeWithTools } from "./with-tools.ts";

const rules = read("deploy/monitoring/alerts.yaml");
const dashboard = JSON.parse(read("deploy/monitoring/dashboard.json")) as Dashboard;
/** Seconds instead of minutes, for what has a duration; what a lane may be behind stays as it is. */
const shortRules = rules.replaceAll(/for: \d+m/g, "for: 1s").replaceAll(/\[\d+m\]/g, "[10s]");
const patience = { timeout: 30_000 };
const closing: (() => unknown)[] = [];

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

await describeWithTools(["prometheus"], "a real Prometheus", () =>
  describeWith(["nats"], "beside a real stream", () => {
    let prometheus: string;
    const instances = { lane: "", away: "", stream: "" };

    beforeAll(async () => {
      const [lanePort = 0, awayPort = 0, port = 0] = await freePorts(3);
      const [behind, away] = await Promise.all([startScraped(lanePort), startScraped(awayPort)]);
      instances.lane = `127.0.0.1:${lanePort}`;
      instances.away = `127.0.0.1:${awayPort}`;
      instances.stream = new URL(await fillStream()).host;
      await holdUser(behind);
      prometheus = await startPrometheus(port, Object.values(instances));
      // Before no step lands any more
      await vi.waitFor(async () => expect(await firing("HeddleDeadLetters")).toHaveLength(1), patience);
      standLane(behind);
      expect((await behind.request("POST", "/users/track", { attributes: [{ external_id: "late", color: "red" }] })).status).toBe(201);
      await away.kill("SIGKILL");
    });
    afterAll(async () => {
      for (const close of closing.reverse()) await close();
    });

    /** The labels with which the alert fires. */
    async function firing(alert: string): Promise<Record<string, string>[]> {
      const { data } = await (await fetch(`${prometheus}/api/v1/alerts`)).json() as { data: { alerts: Alert[] } };
      return data.alerts.filter(({ state, labels }) => state === "firing" && labels["alertname"] === alert).map(({ labels }) => labels);
    }

    test("HeddleDown names the part that is away", async () => {
      await expect.poll(() => firing("HeddleDown")).toEqual([expect.objectContaining({ instance: instances.away, severity: "page" })]);
    });

    test("HeddleDeadLetters tells of the user that waits for a human", async () => {
      await expect.poll(() => firing("HeddleDeadLetters"))
        .toEqual([expect.objectContaining({ service: "profile", kind: "held_users", severity: "ticket" })]);
    });

    test("HeddleLogRefuses says that the stream is full", async () => {
      await expect.poll(() => firing("HeddleLogRefuses")).toEqual([expect.objectContaining({ reason: "LOG_FULL", severity: "page" })]);
    });

    test("HeddleNotReady and, after 30 s, HeddleLagging tell of the lane that stands", async () => {
      await expect.poll(() => firing("HeddleNotReady")).toEqual([expect.objectContaining({ instance: instances.lane })]);
      expect(await firing("HeddleLagging")).toEqual([]);
      await expect.poll(() => firing("HeddleLagging"), { timeout: 50_000 }).toEqual([
        expect.objectContaining({ lane: "intake-0", severity: "page" }),
      ]);
    });

    test("every query of the dashboard is answered, also where all is chosen and nothing happened", async () => {
      const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
      expect(queries.length).toBeGreaterThan(20);
      const empty: string[] = [];
      for (const { title, expr } of queries) {
        const query = expr.replaceAll("$__rate_interval", "30s").replaceAll("$instance", ".*");
        const answer = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`);
        const { status, data, error } = await answer.json() as QueryAnswer;
        expect([title, status, error]).toEqual([title, "success", undefined]);
        if (data?.result.length === 0) empty.push(title);
      }
      // No request was refused
      expect(empty).toEqual(["Refusals and errors by status", "Refused with 429, by limit"]);
    });
  }));

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface QueryAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly unknown[] };
}

async function startScraped(port: number): Promise<Heddle> {
  const heddle = await startHeddle({ env: { HEDDLE_METRICS_PORT: String(port) } });
  closing.push(() => heddle.close());
  return heddle;
}

function openStore({ dataDir }: Heddle): DatabaseSync {
  const database = new DatabaseSync(join(dataDir, databaseFile), { timeout: 15_000 });
  closing.push(() => database.close());
  return database;
}

/** Its row cannot be read any more. */
async function holdUser(heddle: Heddle): Promise<void> {
  const user = { attributes: [{ external_id: "held", color: "red" }] };
  await heddle.request("POST", "/users/track", user);
  const database = openStore(heddle);
  await vi.waitFor(() => expect(database.prepare("SELECT 1 FROM profile_profiles").all()).toHaveLength(1), patience);
  await heddle.kill("SIGKILL");
  database.exec("UPDATE profile_profiles SET body = '{rubbish'");
  await heddle.restart();
  await heddle.request("POST", "/users/track", user);
}

/** No step lands from now on. */
function standLane(heddle: Heddle): void {
  const database = openStore(heddle);
  for (const action of ["INSERT", "UPDATE"]) {
    database.exec(`CREATE TRIGGER stand_${action} BEFORE ${action} ON profile_checkpoints BEGIN SELECT RAISE(ABORT, 'planted'); END`);
  }
}

/** A real stream that is full, and a process that goes on writing to it; gives where its metrics are. */
async function fillStream(): Promise<string> {
  const nats = await startNats();
  closing.push(() => nats.stop());
  const [port = 0] = await freePorts(1);
  const config = { metricsHost: "127.0.0.1", metricsPort: port, internalHosts: [], traces: undefined };
  const telemetry = await openTelemetry(config, { clock: systemClock, logger: silentLogger, part: "heddle-profile" });
  closing.push(() => telemetry.close());
  telemetry.watch(() => ({ ready: true }));
  const place = { servers: [nats.url], name: "full", partitions: 1, replicas: 1, bytesMax: 1024 * 1024 };
  const log = await openJetStreamLog({ ...place, clock: systemClock, logger: silentLogger });
  closing.push(() => log.close());
  const measured = measuredLog(log, "intake", telemetry.metrics);
  const timer = setInterval(() => void measured.append(0, new Uint8Array(100 * 1024)).catch(() => {}), 100);
  closing.push(() => clearInterval(timer));
  return `http://127.0.0.1:${port}`;
}

async function startPrometheus(port: number, targets: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-prometheus-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "alerts.yaml"), shortRules);
  writeFileSync(
    join(folder, "prometheus.yaml"),
    JSON.stringify({
      global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" },
      rule_files: [join(folder, "alerts.yaml")],
      scrape_configs: [{ job_name: "heddle", static_configs: [{ targets }] }],
    }),
  );
  const program = await provisionTool("prometheus");
  const options = [`--config.file=${join(folder, "prometheus.yaml")}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const server = await startServer({
    name: "prometheus",
    port,
    ready: /Server is ready to receive web requests/,
    command: () => [program, ...options, `--web.listen-address=127.0.0.1:${port}`],
  }, folder);
  closing.push(() => server.stop());
  return `http://127.0.0.1:${port}`;
}

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}
