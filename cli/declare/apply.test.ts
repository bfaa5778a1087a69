/** heddle apply beside no server: what a dry run shows, and what is asked before things are removed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Channel } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type CommandResult, runCommand } from "../../test/command-line.ts";
import { subscriptionIn } from "../target/consent-target.ts";
import { withAccess } from "../target/data-folder.ts";

const command = resolve(import.meta.dirname, "../heddle.mjs");
let folder = "";
let variables: Record<string, string> = {};
let before = "";
let after = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-apply-"));
  variables = { PATH: process.env["PATH"] ?? "", HEDDLE_DATA_DIR: join(folder, "data") };
  before = declaration(twoWorkspaces);
  after = declaration(`companies: [{ name: acme, workspaces: [{ name: demo }] }]`);
});

afterEach(() => rmSync(folder, { recursive: true }));

function declaration(text: string): string {
  const path = join(mkdtempSync(join(folder, "file-")), "heddle.yaml");
  writeFileSync(path, text);
  return path;
}

async function apply(file: string, ...more: string[]): Promise<CommandResult> {
  return await runCommand(["apply", "-f", file, ...more], variables);
}

const twoWorkspaces = `companies: [{ name: acme, workspaces: [
  { name: demo, currencyRates: { EUR: 1.1 }, apiKeys: [{ name: all, permissions: ["*"], secret: a-key-clients-already-have }] },
  { name: old }] }]`;

test("apply --dry-run shows each field that changes, and no id of what is not there yet", async () => {
  expect((await apply(before)).code).toBe(0);
  const changed = `companies: [{ name: acme, workspaces: [
    { name: demo, currencyRates: { EUR: 1.2, GBP: 1.3 }, apiKeys: [{ name: all, permissions: [users.track], secret: a-key-clients-already-have }] },
    { name: new }, { id: ws_given, name: given }] }]`;
  const file = declaration(changed);
  const { output: out } = await apply(file, "--dry-run");
  expect(out).toMatch(/^workspace acme\/demo:\n {2}currencyRates\.EUR: "1\.1" -> "1\.2"\n {2}currencyRates\.GBP: nothing -> "1\.3"$/m);
  expect(out).toMatch(/^API key acme\/demo\/all:\n {2}permissions: \["\*"\] -> \["users\.track"\]$/m);
  expect(out).toMatch(/^created +workspace +acme\/new$/m);
  expect(out).toMatch(/^created +workspace +acme\/given +ws_given$/m);
  const { changes } = JSON.parse((await apply(file, "--dry-run", "--json")).output) as {
    changes: { path: string; id: string; fields?: unknown }[];
  };
  expect(changes.find(({ path }) => path === "acme/new")?.id).toBe("");
  expect(changes.find(({ path }) => path === "acme/demo/all")?.fields).toEqual([{
    field: "permissions",
    from: ["*"],
    to: ["users.track"],
  }]);
});

test("apply --dry-run shows each field of translations, preference centers and their settings", async () => {
  const long = `<p>${"the same ".repeat(100)}</p>`;
  function messages(locales: string, text: string, title: string, origins: string): string {
    return declaration(`companies: [{ name: acme, workspaces: [{ name: demo,
      translations: { enabled: true, locales: [${locales}] },
      campaigns: [{ name: welcome, variations: [{ name: first, channel: email, locales: [de], source: { constructor: Hello, id_1: "${text}" } }] }],
      pages: { origins: [${origins}] },
      preferenceCenters: [{ name: main, title: "${title}", page: "${long}${text}" }] }] }]`);
  }
  const made = await apply(messages("de", "Good day", "Mail", ""));
  expect(made.errors + made.output).toMatch(/^created +preference center +acme\/demo\/main/m);
  const file = messages("de, es-MX", "Good evening", "Letters", "'https://cdn.example.com'");
  const { output: out } = await apply(file, "--dry-run");
  expect(out).toMatch(/^translation settings acme\/demo:\n {2}locales: \["de"\] -> \["de","es-MX"\]$/m);
  expect(out).toMatch(/^message variation acme\/demo\/welcome\/first:\n {2}texts\.id_1: "Good day" -> "Good evening"$/m);
  expect(out).toMatch(/^settings of pages acme\/demo:\n {2}origins: \[\] -> \["https:\/\/cdn\.example\.com"\]$/m);
  expect(out).toMatch(/^preference center acme\/demo\/main:\n {2}preference_center_title: "Mail" -> "Letters"$/m);
  expect(out).toMatch(/^ {2}preference_center_page_html: "\.\.\..{0,20}Good day" -> "\.\.\..{0,20}Good evening"$/m);
  const { changes } = JSON.parse((await apply(file, "--dry-run", "--json")).output) as { changes: { what: string; fields?: unknown }[] };
  expect(changes.find(({ what }) => what === "message variation")?.fields).toEqual([
    { field: "texts.id_1", from: "Good day", to: "Good evening" },
  ]);
});

test("apply --prune says on a terminal what it would remove, and asks; --yes and scripts are not asked", async () => {
  await apply(before);
  const words = [process.execPath, command, "apply", "-f", after, "--prune"].map((word) => `'${word}'`).join(" ");
  function inTerminal(answer: string, more = ""): string {
    // Typed too late, it would be lost with the end of the pipe
    const script = `echo ${answer} | script -qc "${words}${more}" /dev/null`;
    return execFileSync("sh", ["-c", script], { encoding: "utf8", env: variables }).replaceAll("\r", "");
  }
  const refused = inTerminal("no");
  expect(refused).toMatch(/workspace +acme\/old +ws_\w+ +its user data stays/);
  expect(refused).toMatch(/Remove them\? Type yes: [\s\S]*Nothing was changed/);
  const { output: listed } = await runCommand(["keys", "list", "--json"], variables);
  expect(JSON.parse(listed)).toHaveLength(1);
  expect(inTerminal("yes")).toMatch(/^pruned +workspace +acme\/old/m);
  await apply(before);
  const yes = inTerminal("no", " --yes");
  expect(yes).toMatch(/^pruned +workspace +acme\/old/m);
  expect(yes).not.toContain("Remove them?");
  await apply(before);
  expect((await apply(after, "--prune")).output)
    .toMatch(/^pruned/m);
});

function groupsFile(names: readonly string[]): string {
  const groups = names.map((name, at) => `{ id: ${name.split(" ")[0]}, name: ${name}, channel: ${at % 2 === 0 ? "email" : "sms"} }`);
  return declaration(`companies: [{ name: acme, workspaces: [{ id: ws_demo, name: demo, subscriptionGroups: [${groups.join(", ")}] }] }]`);
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at}`);
}

const scope = { workspaceId: "ws_demo" };

/** How many groups the folder has: as they are declared, and those of subscription that are not archived. */
async function groupsThere(): Promise<[declared: number, active: number]> {
  return await withAccess(join(folder, "data"), async (access, database) => {
    const { groups } = await (await subscriptionIn(database)).listGroups({ scope });
    const active = groups.filter(({ archived }) => !archived);
    return [access.declared("ws_demo", "subscription_group").length, active.length];
  });
}

test("apply of more groups than a workspace may have, with those that it has, changes nothing", async () => {
  expect((await apply(groupsFile(numbered("a", 60)))).code).toBe(0);
  const others = groupsFile(numbered("b", 60));
  for (const more of [[], ["--dry-run"]]) {
    const { code, output, errors } = await apply(others, ...more);
    expect([code, output], errors).toEqual([1, ""]);
    expect(errors).toMatch(
      /^The workspace acme\/demo would have 120 subscription groups, 0 of them made elsewhere\nThere may be 100 .* --prune /,
    );
  }
  expect(await groupsThere()).toEqual([60, 60]);
  expect((await apply(others, "--prune")).code).toBe(0);
  expect(await groupsThere()).toEqual([60, 60]);
});

test("apply counts groups that were made elsewhere, and a group that is named by its id once", async () => {
  expect((await apply(declaration(`companies: [{ name: acme, workspaces: [{ id: ws_demo, name: demo }] }]`))).code).toBe(0);
  const made = numbered("c", 60).map((id) => ({ id, name: id, channel: Channel.EMAIL }));
  await withAccess(join(folder, "data"), async (_access, database) => {
    await (await subscriptionIn(database)).declareGroups({ scope, groups: made });
  });
  const { code, errors } = await apply(groupsFile(numbered("a", 41)));
  expect(code).toBe(1);
  expect(errors).toContain("would have 101 subscription groups, 60 of them made elsewhere");
  expect(await groupsThere()).toEqual([0, 60]);
  const full = [...numbered("c", 60), ...numbered("a", 40)];
  expect((await apply(groupsFile(full))).code).toBe(0);
  expect((await apply(groupsFile(["c0 anew", ...full.slice(1)]))).errors).toBe("");
  expect(await groupsThere()).toEqual([100, 100]);
});
