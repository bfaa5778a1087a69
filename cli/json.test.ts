/** --json: every command that prints data has it, and what it prints is JSON with times in ISO 8601. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../test/command-line.ts";
import { type HeddleProcess, launchHeddle } from "../test/heddle-process.ts";
import { commandTree } from "./main.ts";

/** Those without it, and why. */
const exceptions: Readonly<Record<string, string>> = {
  start: "runs until it is stopped; its log on standard error is a line of JSON each",
  serve: "runs until it is stopped; its log on standard error is a line of JSON each",
  completion: "prints a script for a shell",
};

function leaves(command: Command, path: readonly string[] = []): { readonly words: string; readonly options: readonly string[] }[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  if (below.length === 0) return [{ words: path.join(" "), options: command.options.map(({ long }) => long ?? "") }];
  return below.flatMap((one) => leaves(one, [...path, one.name()]));
}

test("every command that prints data has --json, and each exception is a command without it", () => {
  const all = leaves(commandTree(() => {}));
  expect(all.length).toBeGreaterThan(30);
  const without = all.filter(({ options }) => !options.includes("--json")).map(({ words }) => words);
  expect(without.sort()).toEqual(Object.keys(exceptions).sort());
});

const folder = mkdtempSync(join(tmpdir(), "heddle-json-"));
const dataDir = join(folder, "data");
const key = "a-key-clients-already-have";
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
let server: HeddleProcess;

beforeAll(async () => {
  const file = join(folder, "heddle.yaml");
  writeFileSync(
    file,
    `companies: [{ name: acme, workspaces: [
      { name: demo, apiKeys: [{ name: all, permissions: ["*", console.operate], secret: ${key} }] }, { name: other }] }]`,
  );
  const args = [resolve(import.meta.dirname, "heddle.mjs"), "start", "--apply", file];
  server = await launchHeddle({ program: process.execPath, args, folder, env: { HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0" } });
  const body = { attributes: [{ external_id: "ann", email: "ann@example.com", email_subscribe: "unsubscribed" }] };
  expect((await call("/users/track", { body, headers: { authorization: `Bearer ${key}` } })).status).toBe(201);
}, 60_000);

afterAll(async () => {
  server.kill("SIGKILL");
  await server.ended;
  rmSync(folder, { recursive: true });
});

async function call(
  path: string,
  { body, headers }: { readonly body?: object; readonly headers: Record<string, string> },
): Promise<Response> {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return await fetch(`${server.url}${path}`, { ...sent, headers: { "content-type": "application/json", ...headers } });
}

/** The document that the command prints, which has to end with `code`. */
async function shown(words: string, code = 0): Promise<unknown> {
  const variables = { HEDDLE_DATA_DIR: dataDir, HEDDLE_URL: server.url, HEDDLE_KEY: key };
  const result = await runCommand([...words.split(" "), "--json"], variables);
  expect(result.code, result.errors).toBe(code);
  expect(result.output).not.toMatch(millisecondsOfNow);
  return JSON.parse(result.output) as unknown;
}

/** As `shown`, of a command that prints a line of JSON each. */
async function shownLines(words: string): Promise<unknown[]> {
  const { code, output, errors } = await runCommand([...words.split(" "), "--json"], { HEDDLE_DATA_DIR: dataDir });
  expect(code, errors).toBe(0);
  expect(output).not.toMatch(millisecondsOfNow);
  return output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as unknown);
}

/** A time as a number of milliseconds. */
const millisecondsOfNow = /\b1[6-9]\d{11}\b/;

test("keys and SCIM tokens are shown with times in ISO 8601, and never what is kept of a secret", { timeout: 60_000 }, async () => {
  const made = [
    await shown("keys create --name web --workspace demo --permissions users.track"),
    await shown("scim-tokens create --name idp --origin okta"),
  ] as { id: string; secret: string }[];
  for (const [at, command] of ["keys", "scim-tokens"].entries()) {
    const { id, secret } = made[at] ?? { id: "", secret: "" };
    expect(made[at]).toMatchObject({ createdAt: iso, revokedAt: null });
    const rotated = await shown(`${command} rotate ${id} --overlap-hours 1`) as { secret: string };
    expect(rotated).toMatchObject({ createdAt: iso, revokedAt: null });
    expect(rotated.secret).not.toBe(secret);
    const revoked = await shown(`${command} revoke ${id}`);
    expect(revoked).toEqual({ id, name: ["web", "idp"][at], createdAt: iso, revokedAt: iso });
    expect(await shown(`${command} list`)).toContainEqual(expect.objectContaining(revoked as object));
  }
});

test("consent, events and the log of SCIM tell times in ISO 8601", { timeout: 60_000 }, async () => {
  await expect.poll(() => shown("consent history --email ann@example.com --workspace demo"), { timeout: 20_000 })
    .toContainEqual(expect.objectContaining({ what: "email_status", at: iso }));
  expect(await shownLines("consent export --workspace demo")).toContainEqual(
    expect.objectContaining({ ledger: "messaging-status", at: iso }),
  );
  expect(await shown("consent verify --workspace demo")).toContainEqual({ ledger: "messaging-status", entries: 1, damage: null });
  expect(await shown("consent link --email ann@example.com --workspace demo --url https://a.example"))
    .toEqual({ url: expect.stringMatching(/^https:\/\/a\.example\//) as string });
  expect(await shown("consent rotate-link-key")).toEqual({ keyId: expect.any(String) as string });
  expect(await shown("preference-centers rotate-link-key")).toEqual({ keyId: expect.any(String) as string });
  const changed = { subject: "messaging.email.updated.v1", keptAt: iso, payload: expect.objectContaining({ changedAt: iso }) as object };
  expect(await shownLines("events")).toContainEqual(expect.objectContaining(changed));
  const { secret } = await shown("scim-tokens create --name log --origin okta") as { secret: string };
  const headers = { authorization: `Bearer ${secret}`, "x-request-origin": "okta" };
  await expect.poll(async () => (await call("/scim/v2/Users", { headers })).status).not.toBe(401);
  await expect.poll(() => shown("scim log"), { timeout: 20_000 }).toContainEqual(expect.objectContaining({ method: "GET", at: iso }));
});

test("import, log redrive and users tell what they did", { timeout: 60_000 }, async () => {
  const file = join(folder, "users.ndjson");
  writeFileSync(file, `{"type":"attribute","external_id":"bob"}\n{"type":"event","external_id":"bob"}\n`);
  const counts = { file, taken: { attributes: 1, events: 0, purchases: 0 }, takenBefore: { attributes: 0, events: 0, purchases: 0 } };
  expect(await shown(`import ${file} --dry-run`, 1)).toEqual({ ...counts, dryRun: true, refused: 1, inPart: 0, notCarried: {} });
  const report = `${file}.errors.ndjson`;
  const seconds = expect.any(Number) as number;
  expect(await shown(`import ${file}`, 1)).toEqual({ ...counts, dryRun: false, refused: 1, inPart: 0, notCarried: {}, report, seconds });
  expect(await shown("log redrive")).toEqual({ users: 0, records: 0, consent: 0, more: false });
  expect(await shown("log status")).toMatchObject({ held: [], setAside: [], unread: [] });
  expect(await shown("users rejected")).toEqual([]);
  expect(await shownLines("export --workspace demo")).toContainEqual(expect.objectContaining({ external_id: "ann" }));
});

test("backup and restore tell what is where", { timeout: 60_000 }, async () => {
  const file = join(folder, "all.db");
  expect(await shown(`backup ${file}`)).toEqual({ file, bytes: statSync(file).size });
  const dataDir = join(folder, "restored");
  expect(await shown(`restore ${file} --data-dir ${dataDir}`)).toEqual({ file, madeAt: iso, dataDir });
  const one = join(folder, "one");
  const restored = {
    file,
    madeAt: iso,
    dataDir: one,
    workspaces: ["acme/other"],
    linkKeysLeftOut: [],
    leftOut: expect.arrayContaining(["dashboard users"]) as string[],
  };
  expect(await shown(`restore ${file} --workspace other --data-dir ${one}`)).toEqual(restored);
});
