/** Commands that are given a name or folder that is not there say so, and count in words that fit. */
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandResult, runCommand, startCommand } from "../test/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-mistyped-"));
const variables = { HEDDLE_DATA_DIR: join(folder, "data") };
const file = join(folder, "heddle.yaml");
let first: CommandResult;

beforeAll(async () => {
  writeFileSync(
    file,
    `companies: [{ name: acme, scimTokens: [{ name: idp, origin: okta }], workspaces: [
      { name: demo, apiKeys: [{ name: web, permissions: ["*"] }], preferenceCenters: [{ name: main }] }] }]`,
  );
  first = await heddle("apply", "-f", file);
  mkdirSync(join(folder, "junk"));
  writeFileSync(join(folder, "junk", "heddle.db"), "junk");
}, 30_000);

afterAll(() => rmSync(folder, { recursive: true }));

function heddle(...words: string[]): Promise<CommandResult> {
  return runCommand(words, variables);
}

test("apply says that it made a Heddle, once, and not where nothing is changed", async () => {
  expect([first.code, first.errors]).toEqual([0, `Made a new Heddle in the folder "${variables.HEDDLE_DATA_DIR}"\n`]);
  expect((await heddle("apply", "-f", file)).errors).toBe("");
  const other = join(folder, "other");
  expect((await heddle("apply", "-f", file, "--dry-run", "--data-dir", other)).errors).not.toContain("Made");
});

test.each<[string, string, number, RegExp]>([
  ["an unknown subject", "events --subject nope", 2, /There is no subject "nope"; there are .*profile\.user\.merged\.v1/],
  ["SCIM of an unknown user", "scim log --user nobody@x.y", 0, /^Nothing was asked about nobody@x\.y$/m],
  ["SCIM, of which there is none yet", "scim log", 0, /^Nothing has been asked for yet$/m],
  ["a folder that is missing", `backup ${folder}/none/b`, 1, new RegExp(`^There is no folder "${folder}/none"`, "m")],
  [
    "a database that is none",
    `keys list --data-dir ${folder}/junk`,
    1,
    /^Cannot open the database ".*\/junk\/heddle\.db": file is not a database$/m,
  ],
  ["an unknown locale", "translations missing --locale xx --check", 2, /locale/i],
  ["consent of an unknown user", "consent history --external-id nobody", 0, /^No user has the external id "nobody"$/m],
  ["consent of an address", "consent history --email ann@example.com", 0, /^Nothing was ever set$/m],
  [
    "the name of a key",
    "keys create --name web --permissions users.track",
    1,
    /is named "web" already: heddle keys rotate key_\w+ makes another secret/,
  ],
  [
    "the name of a SCIM token",
    "scim-tokens create --name idp --origin okta",
    1,
    /is named "idp" already: heddle scim-tokens rotate tok_\w+ makes another secret/,
  ],
  ["the newest version", "preference-centers restore main 1", 0, /^main is unchanged: version 1 is its newest$/m],
])("%s: heddle %s", async (_, words, code, said) => {
  const done = await heddle(...words.split(" "));
  expect(done.output + done.errors).toMatch(said);
  expect(done.code).toBe(code);
});

test("one of a thing is no plural", async () => {
  const [key] = JSON.parse((await heddle("keys", "list", "--json")).output) as [{ readonly id: string }];
  expect((await heddle("keys", "rotate", key.id, "--overlap-hours", "1")).output).toContain("stays valid for 1 hour\n");
  expect((await heddle("export")).errors).toBe("Exported 0 users\n");
  expect((await heddle("consent", "verify")).output).toContain("subscription: 0 entries, all as they were written");
});

test.each(["log status", "log redrive", "export", "events"])(
  "heddle %s reads no data folder where the environment is that of a mesh and lacks an address",
  async (words) => {
    const done = await runCommand(words.split(" "), { ...variables, HEDDLE_CASSANDRA_CONTACT_POINTS: "127.0.0.1:1" });
    expect([done.code, done.output]).toEqual([1, ""]);
    expect(done.errors).toMatch(words === "events" ? /HEDDLE_NATS_URL: expected/ : /HEDDLE_PROFILE_URL: expected/);
  },
);

test("an export is a file of its owner's alone, or where it fails none", async () => {
  const output = join(folder, "users.ndjson");
  expect((await heddle("export", "--workspace", "nope", "-o", output)).code).toBe(1);
  expect(readdirSync(folder).filter((name) => name.startsWith("users"))).toEqual([]);
  expect((await heddle("export", "-o", output)).code).toBe(0);
  expect(statSync(output).mode & 0o777).toBe(0o600);
});

test("an export that is interrupted leaves no file", async () => {
  const [ids, output] = [join(folder, "ids.txt"), join(folder, "interrupted.ndjson")];
  writeFileSync(ids, "ann\n");
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const { child, ended } = startCommand(["export", "--ids", ids, "--url", `http://127.0.0.1:${port}`, "--key", "k", "-o", output]);
  await once(server, "request");
  expect(existsSync(`${output}.part`)).toBe(true);
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  server.close();
  expect(readdirSync(folder).filter((name) => name.startsWith("interrupted"))).toEqual([]);
});

test("an export replaces a file and nothing else", async () => {
  const device = join(folder, "device");
  symlinkSync("/dev/null", device);
  for (const output of [device, folder]) {
    const { code, errors } = await heddle("export", "-o", output);
    expect([code, errors]).toEqual([2, `"${output}" is not a file: name one, or leave out -o to write to standard output\n`]);
  }
  expect(lstatSync(device).isSymbolicLink()).toBe(true);
});

test("a file that is no declaration is not printed back", async () => {
  const text = join(folder, "text.md");
  writeFileSync(text, `# Title\n\n${"Some *words* with `ticks`: and { brackets\n".repeat(40)}${"key: 'long ".repeat(60)}\n`);
  const { code, errors } = await heddle("apply", "-f", text, "--data-dir", join(folder, "none"));
  const lines = errors.trimEnd().split("\n");
  expect([code, lines.length]).toEqual([1, 12]);
  expect(lines.at(-1)).toMatch(/^ {2}\S+text\.md: line \d+: and \d+ more$/);
  for (const line of lines.slice(1)) expect(line.replace(text, "").length).toBeLessThan(160);
  expect(existsSync(join(folder, "none"))).toBe(false);
});

test("preference-centers takes the id of a center in upper or lower case", async () => {
  const centers = JSON.parse((await heddle("preference-centers", "list", "--json")).output) as { id: string }[];
  const id = centers[0]?.id.toUpperCase() ?? "";
  expect(id).not.toBe(centers[0]?.id);
  expect(await heddle("preference-centers", "versions", id)).toMatchObject({ code: 0, errors: "" });
});
