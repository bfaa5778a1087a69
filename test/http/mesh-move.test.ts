/** heddle backup and heddle restore between the shapes: a workspace of one process in a new mesh, and back again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, callHeddle } from "../client.ts";
import { runCommand, startCommand } from "../command-line.ts";
import { consentDeclared, emailGroup, otherEmailGroup, smsGroup } from "../consent.ts";
import { declared } from "../declaration.ts";
import { demoKey, heddleCommand, repository, startHeddle } from "../heddle.ts";
import { launchHeddle } from "../heddle-process.ts";
import { meshLogName } from "../mesh-shape.ts";
import { contentDeclaration, makeContent, readContent, repeatContent } from "../moved-content.ts";

/** Of the first workspace more than consent. */
const declaration = declared({
  ...consentDeclared,
  demo: { ...consentDeclared.demo, ...contentDeclaration.workspace },
  company: contentDeclaration.company,
});
const time = "2026-03-01T12:00:00Z";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-move-"));
  writeFileSync(join(folder, "declaration.yaml"), declaration);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a workspace moves from one process into the mesh and back with all that can be read of it", { timeout: 300_000 }, async () => {
  const first = await startProcess(join(folder, "first"));
  const mergeJob = await fill(first.url);
  const made = await makeContent(first.url);
  const before = await readAll(first.url);
  const content = await readContent(first.url, made);
  const inFirst = ["--workspace", "demo", "--data-dir", join(folder, "first")];
  const link = (await run(["consent", "link", "--email", "ann@example.com", ...inFirst])).trim().slice(first.url.length);
  const ledger = await run(["consent", "export", ...inFirst]);
  const log = await scimChanges(["--data-dir", join(folder, "first")]);
  expect(log.length).toBeGreaterThan(4);
  expect(before.users).toHaveLength(everybody.length);
  await end(first);
  const file = join(folder, "first.db");
  await run(["backup", file, "--data-dir", join(folder, "first")]);

  const dataDir = join(folder, "mesh");
  const meshEnv = { ...meshSettings(), ...keyspaces, ...small, HEDDLE_LOG_NAME: meshLogName(dataDir), HEDDLE_CASSANDRA_REPLICATION: "1" };
  await run(["migrate"], meshEnv);
  expect(await runCommand(["restore", unapplied(file)], meshEnv)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("1 records of the log are not applied"),
  });
  const one = join(folder, "one.db");
  await run(["backup", one, "--workspace", "other", "--data-dir", join(folder, "first")]);
  // One NATS keeps no three copies, which it says when all rows are there
  const half = await runCommand(["restore", file], { ...meshEnv, HEDDLE_LOG_REPLICAS: "3" });
  expect([half.code, half.errors]).toEqual([1, expect.stringContaining("Copying who may call")]);
  const other = await runCommand(["restore", one], meshEnv);
  expect(other).toMatchObject({ code: 1, errors: expect.stringContaining(`A restore of "${file}" stopped half way here: repeat it`) });
  await restoreWithKills(file, meshEnv);
  const again = await runCommand(["restore", file], meshEnv);
  expect(again).toMatchObject({ code: 1, errors: expect.stringContaining("There is a Heddle in this mesh already") });

  const mesh = await startHeddle({ dataDir, apply: declaration, env: keyspaces });
  const commandEnv = { ...mesh.commandEnv, ...keyspaces, ...small };
  expect(await readAll(mesh.url)).toEqual(before);
  expect(entriesOf(await run(["consent", "export", "--workspace", "demo"], commandEnv))).toEqual(entriesOf(ledger));
  expect((await fetch(`${mesh.url}${link}`)).status).toBe(200);
  expect(await readContent(mesh.url, made)).toEqual(content);
  await repeatContent(mesh.url, made);
  expect(await scimChanges([], commandEnv)).toEqual(log);
  await goesOn(mesh.url, "blue");
  await undoMerge(mesh.url, mergeJob);
  const inMesh = await readAll(mesh.url);
  expect(inMesh.users).toHaveLength(everybody.length);
  await run(["consent", "verify", "--workspace", "demo"], commandEnv);
  const back = join(folder, "mesh.db");
  const written = await backUpWhileWritten(mesh.url, back, commandEnv);
  await mesh.close();

  const lastDir = join(folder, "last");
  await run(["restore", back, "--data-dir", lastDir]);
  await run(["consent", "verify", "--workspace", "demo", "--data-dir", lastDir]);
  const last = await startProcess(lastDir);
  expect(await readAll(last.url)).toEqual(inMesh);
  expect((await fetch(`${last.url}${link}`)).status).toBe(200);
  expect(await readContent(last.url, made)).toEqual(content);
  expect(await namesOf(last.url, written.before)).toEqual(written.before);
  expect(await namesOf(last.url, written.after)).toEqual([]);
  await repeatContent(last.url, made);
  expect(await scimChanges(["--data-dir", lastDir])).toEqual(log);
  await goesOn(last.url, "green");
  await end(last);
});

const small = { HEDDLE_LOG_PARTITIONS: "1", HEDDLE_LOG_LANES: "8", HEDDLE_LOG_MEGABYTES: "64" };
/** Of this file alone: what other tests leave waiting would be refused. */
const keyspaces = {
  HEDDLE_PROFILE_KEYSPACE: "moved_profile",
  HEDDLE_SUBSCRIPTION_KEYSPACE: "moved_subscription",
  HEDDLE_MESSAGING_STATUS_KEYSPACE: "moved_messaging_status",
  HEDDLE_SCIM_KEYSPACE: "moved_scim",
  HEDDLE_CONTENT_KEYSPACE: "moved_content",
};
const everybody = ["ann", "bob", "cid", "dora"];

function meshSettings(): Record<string, string> {
  return JSON.parse(env["HEDDLE_TEST_MESH"] ?? "{}");
}

async function startProcess(dataDir: string) {
  const set = { HEDDLE_HTTP_HOST: "127.0.0.1", HEDDLE_HTTP_PORT: "0", HEDDLE_DATA_DIR: dataDir };
  return await launchHeddle({
    ...heddleCommand(dataDir, ["start", "--apply", join(folder, "declaration.yaml")], set),
    folder: repository,
    env: set,
  });
}

async function end(server: { kill(signal: NodeJS.Signals): void; readonly ended: Promise<number | null> }): Promise<void> {
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
}

async function run(args: string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, output, errors } = await runCommand(args, variables);
  expect(code, `${args.join(" ")}\n${output}${errors}`).toBe(0);
  return output;
}

/**
 * A client writes all the time, and gets 503 while the backup is made; reads go on. A backup that is killed leaves no pause that lasts.
 * Gives some of those who were written before the pause, and all after it.
 */
async function backUpWhileWritten(url: string, file: string, variables: Readonly<Record<string, string>>) {
  const writer = keepWriting(url);
  const { child, ended } = startCommand(["backup", file, "--pause-writes"], variables);
  child.stderr?.on("data", (chunk) => {
    if (String(chunk).includes("Copying users")) child.kill("SIGKILL");
  });
  await ended;
  const killedAt = writer.accepted.length;
  // The pause of the one that died ends by itself
  await expect.poll(() => writer.accepted.length, { timeout: 60_000 }).toBeGreaterThan(killedAt + 1);
  const pausesBefore = writer.pauses();
  await run(["backup", file, "--pause-writes"], variables);
  const backedUpAt = writer.accepted.length;
  await expect.poll(() => writer.accepted.length, { timeout: 10_000 }).toBeGreaterThan(backedUpAt + 1);
  await writer.stop();
  expect(writer.pauses()).toBe(pausesBefore + 1);
  const [before, after] = [0, 1].map((later) =>
    writer.accepted.filter(({ pauses }) => Number(pauses > pausesBefore) === later).map(({ id }) => id)
  );
  return { before: (before ?? []).slice(-50).sort(), after: (after ?? []).slice(0, 50).sort() };
}

function keepWriting(url: string) {
  const accepted: { readonly id: string; readonly pauses: number }[] = [];
  const seen = { pauses: 0, isPaused: false, isStopped: false };
  async function write(): Promise<void> {
    for (let number = 0; !seen.isStopped; number += 1) {
      const id = `written-${String(number).padStart(6, "0")}`;
      const body = { attributes: [{ external_id: id, first_name: "Written" }] };
      const { status, headers } = await callHeddle(url, { method: "POST", path: "/users/track", key: demoKey, body });
      if (status === 201) accepted.push({ id, pauses: seen.pauses });
      else {
        expect([status, headers.get("x-heddle-reason"), headers.get("retry-after")]).toEqual([503, "SERVICE_UNAVAILABLE", "5"]);
        // Once a pause, as reads have a limit of their own
        if (!seen.isPaused) {
          seen.pauses += 1;
          expect(await namesOf(url, accepted.slice(-1).map((one) => one.id))).toHaveLength(1);
        }
      }
      seen.isPaused = status !== 201;
    }
  }
  const writing = write();
  return {
    accepted,
    pauses: () => seen.pauses,
    async stop() {
      seen.isStopped = true;
      await writing;
    },
  };
}

/** Those of them that there are, sorted. */
async function namesOf(url: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const body = { external_ids: ids, fields_to_export: ["external_id"] };
  const answer = await callHeddle(url, { method: "POST", path: "/users/export/ids", key: demoKey, body });
  return (answer.body as { users: { external_id: string }[] }).users.map(({ external_id }) => external_id).sort();
}

/** Kills the command at several places, begins again each time, and lets it come to its end. */
async function restoreWithKills(file: string, variables: Readonly<Record<string, string>>): Promise<void> {
  for (const place of ["users", "states of subscription groups", "versions of preference centers", "who may call"]) {
    const { child, ended } = startCommand(["restore", file], { ...variables, TMPDIR: folder });
    child.stderr?.on("data", (chunk) => {
      if (String(chunk).includes(`Copying ${place}`)) child.kill("SIGKILL");
    });
    const { code, errors } = await ended;
    // On a busy machine the command may have ended before the signal came
    if (code === 0) return;
    expect(code, errors).toBeNull();
  }
  await run(["restore", file], variables);
}

/** What heddle consent export wrote, by hash. */
function entriesOf(text: string): unknown[] {
  const entries = text.trim().split("\n").map((line) => JSON.parse(line) as { readonly hash: string });
  return entries.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
}

/** A copy of the file, without what it says of itself, in whose log something more was accepted. */
function unapplied(file: string): string {
  const path = join(folder, "unapplied.db");
  const bytes = readFileSync(file);
  writeFileSync(path, bytes.subarray(0, bytes.lastIndexOf('{"format"')));
  const database = new DatabaseSync(path);
  database.exec("UPDATE log_tails SET sequence = sequence + 1");
  database.close();
  return path;
}

/** What changed dashboard users, as the log of requests shows it. */
async function scimChanges(args: string[], variables: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  const entries = JSON.parse(await run(["scim", "log", "--json", ...args], variables)) as { readonly outcome: string }[];
  return entries.filter(({ outcome }) => outcome !== "");
}

async function call(url: string, [method, path, body]: [method: "GET" | "POST", path: string, body?: object]): Promise<Answer> {
  const answer = await callHeddle(url, { method, path, body, key: demoKey });
  expect([200, 201, 202], `${path} ${answer.text}`).toContain(answer.status);
  return answer;
}

/** Users with fields, events, purchases, aliases and shared addresses; one merge; consent by user and by address. */
async function fill(url: string): Promise<string> {
  await call(url, ["POST", "/users/track", {
    attributes: [
      { external_id: "ann", email: "shared@example.com", first_name: "Ann", color: "red" },
      { external_id: "bob", email: "shared@example.com", phone: "+491701234567" },
      { external_id: "cid", first_name: "Cid", color: "grey" },
      { external_id: "dora", email: "dora@example.com" },
      { external_id: "other", color: "black", age: 7 },
    ],
    events: [{ external_id: "ann", name: "e", time }, { external_id: "other", name: "e", time }],
    purchases: [{ external_id: "bob", product_id: "p", currency: "USD", price: 1.1, time }],
  }]);
  await call(url, ["POST", "/users/alias/new", { user_aliases: [{ external_id: "bob", alias_label: "crm", alias_name: "b" }] }]);
  await setGroup(url, emailGroup, { external_id: ["ann"], subscription_state: "unsubscribed" });
  await setGroup(url, smsGroup, { external_id: ["bob"], subscription_state: "subscribed" });
  await setGroup(url, otherEmailGroup, { external_id: ["other"], subscription_state: "unsubscribed" });
  await call(url, ["POST", "/email/status", { email: "dora@example.com", subscription_state: "unsubscribed" }]);
  await call(url, ["POST", "/email/status", { email: "nobody@example.com", subscription_state: "unsubscribed" }]);
  const updates = [{ identifier_to_merge: { external_id: "other" }, identifier_to_keep: { external_id: "cid" } }];
  const { body } = await call(url, ["POST", "/users/merge", { merge_updates: updates }]);
  return body.job_id ?? "";
}

async function setGroup(url: string, group: string, rest: object): Promise<void> {
  await call(url, ["POST", "/subscription/status/set", { subscription_group_id: group, ...rest }]);
}

async function readAll(url: string) {
  const { body } = await call(url, ["POST", "/users/export/ids", { external_ids: everybody }]);
  const alias = await call(url, ["POST", "/users/export/ids", { user_aliases: [{ alias_label: "crm", alias_name: "b" }] }]);
  const groups = everybody.flatMap((id) => [emailGroup, otherEmailGroup, smsGroup].map((group) => `${group}&external_id=${id}`));
  const states: unknown[] = [];
  for (const query of groups) {
    states.push((await call(url, ["GET", `/subscription/status/get?subscription_group_id=${query}`])).body["status"]);
  }
  const lists: unknown[] = [];
  for (const email of ["dora@example.com", "nobody@example.com"]) {
    lists.push((await call(url, ["GET", `/email/unsubscribes?email=${encodeURIComponent(email)}`])).body["emails"]);
  }
  return { users: byId(body.users), alias: alias.body.users, states, lists };
}

function byId(users: Answer["body"]["users"]): unknown[] {
  return (users ?? []).toSorted((one, other) => (String(one.external_id) < String(other.external_id) ? -1 : 1));
}

/** What is written after a move counts: no mark from before swallows it, and no user is made twice. */
async function goesOn(url: string, color: string): Promise<void> {
  await call(url, ["POST", "/users/track", {
    attributes: [{ external_id: "ann", color }, { user_alias: { alias_label: "crm", alias_name: "b" }, color }],
    events: [{ external_id: "ann", name: "e", time }],
  }]);
  const subscription_state = color === "blue" ? "subscribed" : "unsubscribed";
  await setGroup(url, emailGroup, { external_id: ["ann"], subscription_state });
  await call(url, ["POST", "/email/status", { email: "dora@example.com", subscription_state }]);
  // Reads wait for 250 ms, which a busy machine may need more than
  await expect.poll(() => readAll(url)).toMatchObject({
    users: [{ custom_attributes: { color } }, { custom_attributes: { color } }, {}, { email_subscribe: subscription_state }],
    states: expect.arrayContaining([{ ann: color === "blue" ? "Subscribed" : "Unsubscribed" }]),
  });
}

async function undoMerge(url: string, jobId: string): Promise<void> {
  await call(url, ["POST", "/users/merge/undo", { job_id: jobId, index: 0 }]);
  const { body } = await call(url, ["POST", "/users/export/ids", { external_ids: ["other", "cid"] }]);
  expect(byId(body.users)).toMatchObject([{ custom_attributes: { color: "grey" } }, { custom_attributes: { age: 7, color: "black" } }]);
}
