/** heddle backup beside a running server, and what heddle restore makes of it. Of one process: see mesh-move.test.ts for the mesh. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { consentDeclaration, otherKey } from "../consent.ts";
import { demoKey, startHeddle } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite({ apply: consentDeclaration });
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-backup-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a copy that is made under load has all that was answered before it, and serves as the first did", { timeout: 60_000 }, async () => {
  const ids = Array.from({ length: 20 }, () => fresh());
  for (const id of ids) await suite.track({ attributes: [{ external_id: id, color: "red" }], events: [eventOf(id)] });
  const load = { over: false };
  const loading = (async () => {
    while (!load.over) await suite.request("POST", "/users/track", { events: [eventOf("busy")] });
  })();
  const file = join(folder, "copy.db");
  const made = await runCommand(["backup", file], suite.heddle.commandEnv);
  load.over = true;
  await loading;
  expect(made.code, made.errors).toBe(0);
  const dataDir = join(folder, "restored");
  expect(await runCommand(["restore", file, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  const again = await startHeddle({ dataDir });
  const [before, after] = await Promise.all(
    [suite.heddle, again].map((heddle) => heddle.request("POST", "/users/export/ids", { external_ids: ids })),
  );
  expect(after?.body.users).toHaveLength(ids.length);
  expect(after?.body.users).toEqual(before?.body.users);
  expect(await again.close()).toBe(0);
});

test("heddle backup and restore overwrite nothing, and take nothing for a copy that is none", async () => {
  const file = join(folder, "text.db");
  writeFileSync(file, "no database at all, but long enough to be taken for one ".repeat(100));
  expect(await runCommand(["backup", file], suite.heddle.commandEnv)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("is there already"),
  });
  const dataDir = join(folder, "never");
  expect(await runCommand(["restore", file, "--data-dir", dataDir])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("no sound copy"),
  });
  expect(existsSync(dataDir)).toBe(false);
  const copy = join(folder, "sound.db");
  await runCommand(["backup", copy], suite.heddle.commandEnv);
  const onto = await runCommand(["restore", copy], suite.heddle.commandEnv);
  expect(onto.code).toBe(1);
});

test("changes that lie in the folder without their database stay, and nothing is restored beside them", { timeout: 60_000 }, async () => {
  const copy = join(folder, "beside.db");
  expect(await runCommand(["backup", copy], suite.heddle.commandEnv)).toMatchObject({ code: 0 });
  const restored = join(folder, "left-over");
  const wal = join(suite.heddle.dataDir, "heddle.db-wal");
  const left = [
    { name: "heddle.db-wal", others: [], args: [] },
    { name: "heddle.db-wal", others: ["heddle.db"], args: [] },
    { name: "heddle.db-wal", others: [], args: ["--workspace", "demo"] },
    { name: "heddle.db-journal", others: [], args: [] },
  ];
  for (const { name, others, args } of left) {
    rmSync(restored, { recursive: true, force: true });
    mkdirSync(restored);
    copyFileSync(wal, join(restored, name));
    for (const other of others) writeFileSync(join(restored, other), "");
    const bytes = readFileSync(join(restored, name));
    const { code, errors } = await runCommand(["restore", copy, "--data-dir", restored, ...args]);
    expect([code, errors], name).toEqual([1, expect.stringContaining(`"${join(restored, name)}" has changes`)]);
    expect(readdirSync(restored).sort()).toEqual([...others, name, "heddle.lock"].sort());
    expect(readFileSync(join(restored, name)).equals(bytes)).toBe(true);
  }
  // These hold nothing
  rmSync(restored, { recursive: true });
  mkdirSync(restored);
  for (const name of ["heddle.db", "heddle.db-wal"]) writeFileSync(join(restored, name), "");
  copyFileSync(join(suite.heddle.dataDir, "heddle.db-shm"), join(restored, "heddle.db-shm"));
  expect(await runCommand(["restore", copy, "--data-dir", restored])).toMatchObject({ code: 0 });
  expect(readdirSync(restored).sort()).toEqual(["heddle.db", "heddle.db-wal", "heddle.lock"]);
});

test("a file that is cut or changed is refused before anything is written, and nobody else can read one", { timeout: 60_000 }, async () => {
  const file = join(folder, "whole.db");
  expect(await runCommand(["backup", file], suite.heddle.commandEnv)).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith("whole"))).toEqual(["whole.db"]);
  const bytes = readFileSync(file);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  const noteAt = bytes.lastIndexOf('{"format"');
  const damaged = {
    "its bytes are not those": changed,
    "cut short, ": bytes.subarray(0, bytes.length >> 1),
    "cut short within its last line": bytes.subarray(0, -3),
    "its last line is damaged": Buffer.concat([bytes.subarray(0, noteAt), Buffer.from("["), bytes.subarray(noteAt + 1)]),
    "bytes before its last line": Buffer.concat([bytes.subarray(0, noteAt), Buffer.alloc(4096), bytes.subarray(noteAt)]),
    "it is no database": Buffer.from("SQLite format 4"),
  };
  const dataDir = join(folder, "not-made");
  for (const [why, content] of Object.entries(damaged)) {
    const path = join(folder, "damaged.db");
    writeFileSync(path, content);
    const { code, errors } = await runCommand(["restore", path, "--data-dir", dataDir]);
    expect([code, errors], why).toEqual([1, expect.stringContaining("no sound copy of a Heddle")]);
    expect(errors).toContain(why);
    expect(existsSync(dataDir)).toBe(false);
  }
  // As earlier versions wrote it
  writeFileSync(join(folder, "plain.db"), bytes.subarray(0, noteAt));
  expect(await runCommand(["restore", join(folder, "plain.db"), "--data-dir", dataDir])).toMatchObject({ code: 0 });
  expect(statSync(join(dataDir, "heddle.db")).mode & 0o777).toBe(0o600);
});

test("one workspace goes alone, out of a folder or out of a file, without what is its company's", { timeout: 60_000 }, async () => {
  const id = fresh();
  await suite.track({ attributes: [{ external_id: id, color: "red" }] });
  const aliases = ["first", "second"].map((end) => ({ alias_label: "crm", alias_name: `${id}-${end}` }));
  await suite.track({
    attributes: aliases.map((user_alias) => ({ user_alias, color: user_alias.alias_name, _update_existing_only: false })),
  });
  const file = join(folder, "one.db");
  const all = join(folder, "all.db");
  const wrong = await runCommand(["backup", file, "--workspace", "none"], suite.heddle.commandEnv);
  expect([wrong.code, wrong.errors, existsSync(file)]).toEqual([1, expect.stringContaining('No workspace is called "none"'), false]);
  let made = wrong;
  // Refused as long as something that was accepted is not applied
  await expect.poll(async () => (made = await runCommand(["backup", file, "--workspace", "demo"], suite.heddle.commandEnv)).code).toBe(0);
  expect(made.errors).toContain("Copying users");
  expect(made.output).toContain("the workspace acme/demo");
  expect(made.output).toContain("Left out, as it is the company's: dashboard users, SCIM tokens (0), permission sets (0)");
  expect(await runCommand(["backup", all], suite.heddle.commandEnv)).toMatchObject({ code: 0 });
  for (const [path, ...args] of [[file], [all, "--workspace", "acme/demo"]] as const) {
    const dataDir = join(folder, `alone-${args.length}`);
    const restored = await runCommand(["restore", path, "--data-dir", dataDir, ...args]);
    expect(restored.code, restored.errors).toBe(0);
    const listed = await runCommand(["keys", "list", "--data-dir", dataDir]);
    expect(listed.output).toContain("demo");
    expect(listed.output).not.toContain("other");
    const read = await readIn(dataDir, { external_ids: [id], user_aliases: aliases });
    const named = aliases.map(({ alias_name }) => ({ user_aliases: [{ alias_name }], custom_attributes: { color: alias_name } }));
    expect(read).toMatchObject({ users: [{ external_id: id, custom_attributes: { color: "red" } }, ...named], other: 401 });
  }
});

test("the file of one workspace opens its links and holds no key that the others' links are made of", { timeout: 60_000 }, async () => {
  const external_id = fresh();
  const body = { name: fresh("center"), preference_center_page_html: "", confirmation_page_html: "" };
  const paths: string[] = [];
  for (const key of [demoKey, otherKey]) {
    await suite.request("POST", "/users/track", { attributes: [{ external_id, email: `${external_id}@example.com` }] }, { key });
    const made = await suite.request("POST", "/preference_center/v1", body, { key });
    const path = `/preference_center/v1/${String(made.body["preference_center_api_id"])}/url/${external_id}`;
    await expect.poll(async () => (await suite.request("GET", path, undefined, { key })).status).toBe(200);
    const answer = await suite.request("GET", path, undefined, { key });
    paths.push(new URL(String(answer.body["preference_center_url"])).pathname);
  }
  const [all, one] = ["links-all.db", "links-one.db"].map((name) => join(folder, name)) as [string, string];
  const backup = (...args: string[]) => runCommand(["backup", ...args], suite.heddle.commandEnv);
  await expect.poll(async () => (await backup(one, "--workspace", "demo")).code).toBe(0);
  expect(await backup(all)).toMatchObject({ code: 0 });
  const inAll = linkKeysOf(all);
  expect(inAll.length).toBeGreaterThan(0);
  expect(linkKeysOf(one).filter((key) => inAll.includes(key))).toEqual([]);
  const dataDir = join(folder, "links");
  expect(await runCommand(["restore", one, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  const again = await startHeddle({ dataDir, apply: "companies: []\n" });
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(again.url + path)).status));
  expect(statuses).toEqual([200, 404]);
  expect(await again.close()).toBe(0);
});

/** As hex, of whatever tables and documents hold keys of links. */
function linkKeysOf(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%link%'").all();
    const documents = database.prepare(
      "SELECT value ->> 'bytes' AS key FROM documents WHERE kind = 'key' AND value ->> 'bytes' IS NOT NULL",
    ).all();
    return [
      ...documents.map(({ key }) => Buffer.from(String(key), "base64").toString("hex").toUpperCase()),
      ...tables.flatMap(({ name }) =>
        database.prepare(`SELECT hex(bytes) AS key FROM ${String(name)}`).all().map(({ key }) => String(key))
      ),
    ];
  } finally {
    database.close();
  }
}

/** Of a server on the folder that declares nothing. */
async function readIn(dataDir: string, asked: object): Promise<{ users: unknown; other: number }> {
  const again = await startHeddle({ dataDir, apply: "companies: []\n" });
  const { body } = await again.request("POST", "/users/export/ids", asked);
  const { status } = await again.request("POST", "/users/export/ids", asked, { key: otherKey });
  expect(await again.close()).toBe(0);
  return { users: body.users, other: status };
}

function eventOf(external_id: string): object {
  return { external_id, name: "e", time: "2026-03-01T12:00:00Z" };
}
