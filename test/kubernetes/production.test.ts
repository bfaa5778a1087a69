/**
 * The production overlay: as it is against the cluster's own checks, then really, in a namespace of its own, before servers that speak TLS
 * alone and ask for a password. The last: it needs the room of the local overlay, which it takes away.
 */
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Authority, certificateFolder, openAuthority } from "../../platform/rpc/certificates.fixture.ts";
import { allReady, kubectl, namespace, noneEnding, whyNoCluster } from "./cluster.ts";
import { figure, seconds } from "./figures.ts";
import { fillUsers } from "./fill-users.ts";
import { provideImages } from "./images.ts";
import { declareLoad, probesOf, underLoad } from "./load.ts";
import { appendRubbish, deadLetters, mendRubbish, setAside } from "./production-faults.ts";
import {
  applied,
  declared,
  exported,
  inOperator,
  inProduction,
  operate,
  production,
  putCertificates,
  putCredentials,
  putServersAuthority,
  startOperator,
  writtenAndRead,
} from "./production-place.ts";
import { startWriter, writtenAround } from "./production-writer.ts";
import { forgetUsers, natsUsers, newCredentials, parts, removeSecureServers, startSecureServers } from "./secure-servers.ts";
import { makeVolume } from "./volumes.ts";
import { exact } from "./workload-load.ts";

const overlay = resolve(import.meta.dirname, "../../deploy/overlays/production");
const changed = join(import.meta.dirname, "production");
const filled = Number(env.HEDDLE_BACKUP_USERS ?? 20_000);
/** Of a wait in the backup and the restore: a second for a hundred users, and ten minutes. */
const patience = { timeout: 600_000 + filled * 10, interval: 1_000 };
const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);

describe.skipIf(missing !== undefined)(`deploy/overlays/production${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  const folder = certificateFolder();
  const [first, second] = [newCredentials("first"), newCredentials("second")];
  let servers: Authority;
  let oldParts: Authority;
  beforeAll(async () => {
    provideImages();
    await kubectl(["delete", "namespace", namespace, production, "--ignore-not-found"], { timeoutMs: 180_000 });
    servers = openAuthority(folder.path, "servers");
    oldParts = openAuthority(folder.path, "parts");
    await startSecureServers(servers, [first, second]);
  }, 1_200_000);
  afterAll(async () => {
    await removeSecureServers();
    await kubectl(["delete", "namespace", production, "--ignore-not-found", "--wait=false"]);
    folder.remove();
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

  test("it comes up before servers that are there already, all over TLS, with credentials from Secrets, and answers", async () => {
    const started = performance.now();
    await kubectl(["create", "namespace", production]);
    await makeVolume("backups", { size: "50Gi", claim: { namespace: production, name: "backups" } });
    await putServersAuthority(servers.cert);
    await putCertificates({ trusted: oldParts.cert, authority: oldParts });
    await putCredentials(first);
    const { warned } = await applied(["-k", changed]);
    expect(warned).not.toMatch(/violate/);
    await allReady(300, production);
    figure("the production overlay before servers with TLS and passwords", { took: performance.now() - started });
    expect(await writtenAndRead(await declared())).toEqual([201, 201, "Ann"]);
    const doctor = await inProduction("exec", "deploy/gateway", "--", "heddle", "doctor").catch(({ stdout }: { stdout: string }) => stdout);
    for (const server of ["NATS", "Cassandra", "Redis", "RPC"]) {
      expect(doctor).toMatch(new RegExp(`${server} access.*TLS and authentication`));
    }
  });

  test("an operator goes from the alert to a redrive that mends, in a container with a certificate of its own; a part's may not", async () => {
    const started = performance.now();
    const key = await declared();
    // In no other workspace
    const person = randomUUID();
    expect(await writtenAndRead(key, person)).toEqual([201, 201, "Ann"]);
    const alias = { user_aliases: [{ alias_label: "mended", alias_name: person }], fields_to_export: ["first_name"] };
    await appendRubbish();
    await expect.poll(deadLetters, { timeout: 60_000, interval: 1_000 }).toBe(1);
    await expect(inProduction("exec", "deploy/content", "--", "heddle", "log", "status")).rejects.toThrow("may use heddle.log");
    await startOperator();
    const [place = { partition: -1, sequence: 0 }] = await setAside();
    expect(place.partition).toBe(0);
    // What no build can read is not tried again: it stays until it is given up
    await operate("log", "redrive");
    expect(await setAside()).toEqual([place]);
    await mendRubbish(place, { externalId: person, alias: "mended" });
    const named = async () => (await exported(key, alias)).map(({ first_name }) => first_name);
    expect(await named()).toEqual([]);
    expect(await operate("log", "redrive")).toContain("1 dead letter is tried once more");
    await expect.poll(named, { timeout: 60_000 }).toEqual(["Ann"]);
    await expect.poll(deadLetters, { timeout: 60_000, interval: 1_000 }).toBe(0);
    await appendRubbish();
    await expect.poll(async () => (await setAside()).length, { timeout: 60_000 }).toBe(1);
    await operate("log", "skip", "--partition", "0", "--at", String((await setAside())[0]?.sequence));
    expect(await operate("log", "status")).toContain("Nothing waits for a human");
    await inProduction("delete", "job", "operator");
    figure("with TLS, from `HeddleDeadLetters` to the redrive in `job/operator`", { took: performance.now() - started });
  });

  test("certificates of another authority, and other users at the servers, come in by rollouts under load: no request fails", async () => {
    const keys = await declareLoad(production);
    const newParts = openAuthority(folder.path, "new-parts");
    const both = oldParts.cert + newParts.cert;
    const started = performance.now();
    const load = await underLoad(keys, probesOf(keys), async () => {
      await putCertificates({ trusted: both, authority: oldParts });
      await putServersAuthority(oldParts.cert + servers.cert);
      await putCredentials(second);
      await rollAll();
      await putCertificates({ trusted: both, authority: newParts });
      await rollAll();
      await putCertificates({ trusted: newParts.cert, authority: newParts });
      await rollAll();
      await forgetUsers(first, [...second.values()][0] ?? { user: "", password: "" });
      await setTimeout(3_000);
    });
    figure("another authority and other users: three rollouts of all parts, the old users taken away", {
      took: performance.now() - started,
      load,
    });
    const known = new Set([...second.values()].map(({ user }) => user));
    expect((await natsUsers()).filter((user) => !known.has(user))).toEqual([]);
    expect(load).toMatchObject({ ...exact, failed: 0, failures: [] });
  });

  const backup =
    "the Job backs up on its volume while somebody writes, once more where its pod is killed half way, and all of it is restored";
  test(backup, { timeout: 1_200_000 + filled * 10 }, async () => {
    const key = await declared();
    expect(await writtenAndRead(key)).toEqual([201, 201, "Ann"]);
    const fillingSince = performance.now();
    await fillUsers(key, filled);
    figure(`${filled.toLocaleString("en")} users written`, { took: performance.now() - fillingSince });
    const writer = await startWriter(key);
    await inProduction("create", "job", "backup-now", "--from=cronjob/backup");
    await untilCopying("backup-now");
    await inProduction("delete", "pod", "-l", "job-name=backup-now", "--grace-period=0", "--force");
    const killed = performance.now();
    await expect.poll(() => stateOf("backup-now"), patience).toMatch(/Complete|Failed/);
    const took = performance.now() - killed;
    const { written, pausedAt, refused, longestPauseMs } = await writer.stop();
    expect(await stateOf("backup-now"), await logsOf("backup-now")).toContain("Complete");
    expect([...new Set(refused)]).toEqual(["503 SERVICE_UNAVAILABLE"]);
    const says = `${written} writes, ${refused.length} told to come again, for ${seconds(longestPauseMs)} s at most`;
    figure(`\`job/backup-now\` under writes, from the kill of its first pod on: ${says}`, { took });
    const restoring = performance.now();
    await startOperator();
    const files = (await inOperator("ls", "/backups")).split("\n").filter((name) => name.endsWith(".db"));
    expect(files).toHaveLength(1);
    await inOperator("env", ...restored, "heddle", "migrate");
    await inOperator("env", ...restored, "heddle", "restore", `/backups/${files[0]}`);
    await inProduction("delete", "job", "operator");
    // A rollout, as nobody writes meanwhile; whoever has clients ends every part first (deploy/README.md)
    await inProduction("set", "env", "deployment", "--all", ...restored);
    await allReady(300, production);
    figure(`the restore of ${(filled + pausedAt).toLocaleString("en")} users, until the parts run on it`, {
      took: performance.now() - restoring,
    });
    // A part that ends still reads what was written behind the backup
    await noneEnding(180, production);
    expect(await writtenAndRead(key)).toEqual([201, 201, "Ann"]);
    expect(await writtenAround(key, pausedAt)).toEqual({ before: true, after: false });
    expect(await exported(key, { external_ids: ["filled-0", `filled-${filled - 1}`], fields_to_export: ["first_name"] })).toHaveLength(2);
  });
});

/** Its pod copies; fails at once where the Job failed instead. */
async function untilCopying(job: string): Promise<void> {
  let state = "";
  await expect.poll(async () => {
    state = await stateOf(job);
    return `${state} ${await inProduction("logs", `job/${job}`).catch(String)}`;
  }, { ...patience, interval: Math.max(100, filled / 1_000) }).toMatch(/Copying users|Failed/);
  if (state.includes("Failed")) throw new Error(`${job}: ${state}\n${await logsOf(job)}`);
}

/** Of all its pods, those that failed too. */
async function logsOf(job: string): Promise<string> {
  return await inProduction("logs", "-l", `job-name=${job}`, "--prefix", "--tail=30").catch(String);
}

function stateOf(job: string): Promise<string> {
  return inProduction("get", "job", job, "-o", "jsonpath={.status.conditions[*].type}");
}

/** As deploy/README.md has it. */
async function rollAll(): Promise<void> {
  await inProduction("rollout", "restart", "deployment");
  await allReady(300, production);
}

/** Names for what is restored, beside what is there. */
const restored = [
  "HEDDLE_LOG_NAME=restored",
  ...["GATEWAY", "PROFILE", "SUBSCRIPTION", "MESSAGING_STATUS", "SCIM", "CONTENT"].map((part) => {
    return `HEDDLE_${part}_KEYSPACE=restored_${part.toLowerCase()}`;
  }),
];
