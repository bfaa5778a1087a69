/**
 * The production overlay: as it is against the cluster's own checks, then really, in a namespace of its own, with the servers of the
 * local overlay as clusters that are there already, credentials and certificates from Secrets. After mesh.test.ts.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { meshParts } from "../../cli/mesh-parts.ts";
import { secret } from "../../platform/identifier.ts";
import { certificateFolder, openAuthority } from "../../platform/rpc/certificates.fixture.ts";
import { allReady, contextArgs, heddleKubectl, kubectl, whyNoCluster } from "./cluster.ts";
import { figure, seconds } from "./figures.ts";
import { makeVolume } from "./volumes.ts";

const production = "heddle-production";
const overlay = resolve(import.meta.dirname, "../../deploy/overlays/production");
const changed = join(import.meta.dirname, "production");
const parts = ["gateway", ...meshParts.keys()];
const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);

describe.skipIf(missing !== undefined)(`deploy/overlays/production${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  beforeAll(async () => {
    await kubectl(["delete", "namespace", production, "--ignore-not-found"], { timeoutMs: 180_000 });
    // A Job cannot be changed, not even for a trial
    await heddleKubectl("delete", "job", "migrate", "--ignore-not-found");
  });
  afterAll(async () => {
    await kubectl(["delete", "-f", join(changed, "servers-let-in.yaml"), "--ignore-not-found"]);
    await kubectl(["delete", "namespace", production, "--ignore-not-found", "--wait=false"]);
  });

  test("the cluster takes it as it is, autoscalers too, and warns of nothing", async () => {
    // A dry run does not make the namespace that the rest of it is in
    await kubectl(["apply", "-f", join(overlay, "../../base/namespace.yaml")]);
    const { printed, warned } = await applied(["--dry-run=server", "-k", overlay]);
    expect(warned).not.toMatch(/violate|unknown|deprecated|error/i);
    for (const part of parts) {
      expect(printed).toMatch(new RegExp(`^deployment.apps/${part} \\w+ \\(server dry run\\)$`, "m"));
      expect(printed).toContain(`horizontalpodautoscaler.autoscaling/${part} created (server dry run)`);
    }
    figure("`kubectl apply --dry-run=server -k deploy/overlays/production`", { says: "taken, no warning" });
  });

  test("it comes up before servers that are there already, parts over TLS, with credentials from Secrets, and answers", async () => {
    const started = performance.now();
    await kubectl(["create", "namespace", production]);
    await makeVolume("backups", { size: "50Gi", claim: { namespace: production, name: "backups" } });
    await makeSecrets();
    await kubectl(["apply", "-f", join(changed, "servers-let-in.yaml")]);
    const { warned } = await applied(["-k", changed]);
    expect(warned).not.toMatch(/violate/);
    await allReady(300, production);
    figure("the production overlay before the servers of the local one, with TLS", { took: performance.now() - started });
    expect(await inGateway(await declared())).toEqual([201, 201, "Ann"]);
    const settings = await kubectl(["-n", production, "exec", "deploy/gateway", "--", "env"]);
    expect(settings).toMatch(/^HEDDLE_PROFILE_URL=dns\+https:/m);
  });

  test("an operator goes from the alert to the redrive, in a container with a certificate of its own; a gateway's may not", async () => {
    const started = performance.now();
    await inPart("profile", appendRubbish);
    // What HeddleDeadLetters looks at
    await expect.poll(() => inPart("profile", countDeadLetters), { timeout: 60_000, interval: 1_000 }).toBe("1\n");
    await expect(kubectl(["-n", production, "exec", "deploy/gateway", "--", "heddle", "log", "status"])).rejects.toThrow(
      "may use heddle.log",
    );
    await startOperator();
    const [first] = await setAside();
    expect(first).toMatchObject({ partition: 0 });
    // What no build can read is not tried again: it stays until it is given up
    await operate("log", "redrive");
    expect(await setAside()).toEqual([first]);
    await operate("log", "skip", "--partition", "0", "--at", String(first?.sequence));
    expect(await operate("log", "status")).toContain("Nothing waits for a human");
    expect(await operate("doctor").catch(String)).toContain("RPC access");
    await kubectl(["-n", production, "delete", "job", "operator"]);
    figure("with TLS, from `HeddleDeadLetters` to the redrive in `job/operator`", { took: performance.now() - started });
  });

  test("the Job backs up on its volume while somebody writes, once more where its pod is killed, and what is restored has the same keys", async () => {
    const key = await declared();
    const writer = await startWriter(key);
    const started = performance.now();
    await kubectl(["-n", production, "create", "job", "backup-now", "--from=cronjob/backup"]);
    await kubectl(["-n", production, "wait", "--for=condition=Ready", "pod", "-l", "job-name=backup-now", "--timeout=60s"]);
    await kubectl(["-n", production, "delete", "pod", "-l", "job-name=backup-now", "--grace-period=0", "--force"]);
    await kubectl(["-n", production, "wait", "--for=condition=Complete", "job/backup-now", "--timeout=300s"], { timeoutMs: 310_000 });
    const { written, refused, longestPauseMs } = await writer.stop();
    expect(refused.every((text) => text === "503 SERVICE_UNAVAILABLE"), [...new Set(refused)].join()).toBe(true);
    const says = `${written} writes, ${refused.length} told to come again, for ${seconds(longestPauseMs)} s at most`;
    figure(`\`job/backup-now\` under writes, its pod killed once: ${says}`, { took: performance.now() - started });
    await startOperator();
    const files = (await inOperator("ls", "/backups")).split("\n").filter((name) => name.endsWith(".db"));
    expect(files).toHaveLength(1);
    await inOperator("env", ...restored, "heddle", "migrate");
    await inOperator("env", ...restored, "heddle", "restore", `/backups/${files[0]}`);
    await kubectl(["-n", production, "delete", "job", "operator"]);
    await kubectl(["-n", production, "set", "env", "deployment", "--all", ...restored]);
    await allReady(300, production);
    expect(await inGateway(key)).toEqual([201, 201, "Ann"]);
    expect(await countWritten(key, written)).toBeGreaterThan(0);
  });
});

/** A message of `kubectl apply` names what it did not like on standard error. */
async function applied(args: readonly string[]): Promise<{ printed: string; warned: string }> {
  return await new Promise((done, failed) => {
    const all = [...contextArgs(), "apply", ...args];
    execFile("kubectl", all, { timeout: 120_000 }, (error, printed, warned) => error ? failed(error) : done({ printed, warned }));
  });
}

/** As deploy/README.md has it. */
async function startOperator(): Promise<void> {
  await kubectl(["-n", production, "create", "job", "operator", "--from=cronjob/operator"]);
  await kubectl(["-n", production, "wait", "--for=condition=Ready", "pod", "-l", "job-name=operator", "--timeout=60s"]);
}

function operate(...words: readonly string[]): Promise<string> {
  return inOperator("heddle", ...words);
}

function inOperator(...words: readonly string[]): Promise<string> {
  return kubectl(["-n", production, "exec", "job/operator", "--", ...words], { timeoutMs: 300_000 });
}

/** Names for what is restored, beside what is there. */
const restored = [
  "HEDDLE_LOG_NAME=restored",
  ...["GATEWAY", "PROFILE", "SUBSCRIPTION", "MESSAGING_STATUS", "SCIM", "CONTENT"].map((part) => {
    return `HEDDLE_${part}_KEYSPACE=restored_${part.toLowerCase()}`;
  }),
];

interface Written {
  readonly written: number;
  /** Of each attempt that was not taken, the status and the reason. */
  readonly refused: readonly string[];
  readonly longestPauseMs: number;
}

/** Writes one user after another, in a gateway's container, each until it is taken. */
async function startWriter(key: string): Promise<{ stop(): Promise<Written> }> {
  const script = `import { existsSync } from "node:fs";
    const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const refused = [];
    let [written, longestPauseMs, takenAt] = [0, 0, performance.now()];
    while (!existsSync("/tmp/stop")) {
      const body = JSON.stringify({ attributes: [{ external_id: "written-" + written }] });
      const answer = await fetch("http://127.0.0.1:8080/users/track", { method: "POST", headers, body });
      await answer.text();
      if (answer.status === 201) {
        written += 1;
        longestPauseMs = Math.max(longestPauseMs, performance.now() - takenAt);
        takenAt = performance.now();
      } else refused.push(answer.status + " " + answer.headers.get("x-heddle-reason"));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(JSON.stringify({ written, refused, longestPauseMs }));`;
  const [pod = ""] = (await kubectl(["-n", production, "get", "pods", "-l", "app.kubernetes.io/name=gateway", "-o", "name"])).split("\n");
  const exec = ["-n", production, "exec", pod, "--"];
  const ended = kubectl([...exec, "node", "--input-type=module", "-e", script], { timeoutMs: 600_000 });
  return {
    async stop() {
      await kubectl([...exec, "touch", "/tmp/stop"]);
      return JSON.parse(await ended) as Written;
    },
  };
}

/** How many of the users of the writer there are, of the first fifty. */
async function countWritten(key: string, written: number): Promise<number> {
  const ids = Array.from({ length: Math.min(written, 50) }, (_, number) => `written-${number}`);
  const script = `const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const body = JSON.stringify({ external_ids: ${JSON.stringify(ids)}, fields_to_export: ["external_id"] });
    const answer = await fetch("http://127.0.0.1:8080/users/export/ids", { method: "POST", headers, body });
    console.log((await answer.json()).users.length);`;
  return Number(await inPart("gateway", script));
}

async function setAside(): Promise<{ partition: number; sequence: number }[]> {
  return (JSON.parse(await operate("log", "status", "--json")) as { setAside: { partition: number; sequence: number }[] }).setAside;
}

/** A script by the image's own Node, with the settings of the part. */
function inPart(part: string, script: string): Promise<string> {
  return kubectl(["-n", production, "exec", `deploy/${part}`, "--", "node", "--input-type=module", "-e", script]);
}

/** What no build can read, in the intake: nobody can tell whose it is. */
const appendRubbish = `
  const { openJetStreamLog } = await import("/app/platform/log/jetstream.ts");
  const { readConfig } = await import("/app/platform/config.ts");
  const { readStreams } = await import("/app/platform/mesh-config.ts");
  const { systemClock } = await import("/app/platform/clock.ts");
  const { silentLogger } = await import("/app/platform/logger.ts");
  const { nats, logName, partitions, ...streams } = readConfig(process.env, readStreams);
  const log = await openJetStreamLog(
    { ...nats, ...streams, clock: systemClock, logger: silentLogger, name: logName + "_intake", partitions, make: false },
  );
  await log.append(0, Uint8Array.of(255));
  await log.close();`;

const countDeadLetters = `
  const text = await (await fetch("http://127.0.0.1:9464/metrics")).text();
  const counts = [...text.matchAll(/^heddle_dead_letters[{].*[}] ([0-9]+)$/gm)].map(([, count]) => Number(count));
  console.log(counts.reduce((sum, count) => sum + count, 0));`;

/** As deploy/README.md has them. The servers here ask for no password, and take one, but for Redis; they speak no TLS. */
async function makeSecrets(): Promise<void> {
  const folder = certificateFolder();
  try {
    const authority = openAuthority(folder.path, "heddle");
    await makeSecret("servers-tls", { "nats-ca.crt": authority.cert, "cassandra-ca.crt": authority.cert, "redis-ca.crt": authority.cert });
    for (const part of [...parts, "operator"]) {
      const { cert, key } = authority.issue(`DNS:${part}`);
      await makeSecret(`${part}-tls`, { "ca.crt": authority.cert, "tls.crt": cert, "tls.key": key });
      await makeSecret(`${part}-credentials`, {
        ...cassandraUser(part),
        HEDDLE_NATS_USER: part,
        HEDDLE_NATS_PASSWORD: secret(""),
        ...(part === "gateway" ? { REDIS_USER: "default", REDIS_PASSWORD: secret("") } : {}),
      });
    }
    await makeSecret("migrate-credentials", cassandraUser("migrate"));
  } finally {
    folder.remove();
  }
}

function cassandraUser(part: string): Record<string, string> {
  return { HEDDLE_CASSANDRA_USER: `heddle_${part}`, HEDDLE_CASSANDRA_PASSWORD: secret("") };
}

async function makeSecret(name: string, stringData: Record<string, string>): Promise<void> {
  const manifest = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: production }, stringData };
  await kubectl(["apply", "-f", "-"], { input: JSON.stringify(manifest) });
}

/** Declares a workspace and gives its key. */
async function declared(): Promise<string> {
  const key = secret("hdl_");
  const apiKeys = [{ name: "all", permissions: ["*"], secret: key }];
  const declaration = { companies: [{ name: `acme-${randomUUID()}`, workspaces: [{ name: "demo", apiKeys }] }] };
  const apply = ["-n", production, "exec", "-i", "deploy/gateway", "--", "heddle", "apply", "-f", "-"];
  await kubectl(apply, { input: JSON.stringify(declaration) });
  return key;
}

/** A write and a read by the image's own Node: the statuses, and the name that was read. */
async function inGateway(key: string): Promise<unknown> {
  const script = `const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const post = (path, body) => fetch("http://127.0.0.1:8080" + path, { method: "POST", headers, body: JSON.stringify(body) });
    const written = await post("/users/track", { attributes: [{ external_id: "ann", first_name: "Ann" }] });
    const read = await post("/users/export/ids", { external_ids: ["ann"], fields_to_export: ["first_name"] });
    console.log(JSON.stringify([written.status, read.status, (await read.json()).users?.[0]?.first_name]));`;
  const printed = await kubectl(["-n", production, "exec", "deploy/gateway", "--", "node", "--input-type=module", "-e", script]);
  return JSON.parse(printed) as unknown;
}
