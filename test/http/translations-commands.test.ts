/** heddle apply of campaigns and canvases, and heddle translations, beside a running server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";
import { ids, translationDeclaration } from "../translations.ts";

const suite = heddleSuite({ apply: translationDeclaration(demoKey) });
const folder = mkdtempSync(join(tmpdir(), "heddle-translations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function command(...args: string[]) {
  return await runCommand(args, suite.heddle.commandEnv);
}

interface Change {
  readonly action: string;
  readonly what: string;
  readonly path: string;
  readonly id: string;
}

async function apply(text: string, ...options: string[]): Promise<Change[]> {
  const file = join(folder, `${fresh("file")}.yaml`);
  writeFileSync(file, text);
  const result = await command("apply", "-f", file, "--json", ...options);
  expect(result.code, result.errors).toBe(0);
  return (JSON.parse(result.output) as { changes: Change[] }).changes.filter(({ action }) => action !== "unchanged");
}

/** A workspace of its own for a test. */
function workspace(name: string, more: string): string {
  return `companies: [{ name: acme, workspaces: [{ name: ${name}, apiKeys: [{ name: all, permissions: ["*"], secret: secret-of-${name} }], ${more} }] }]`;
}

test("heddle apply gives ids, shows them, and does nothing the second time", async () => {
  const name = fresh("ws");
  const messages = `translations: { enabled: true, locales: [es-MX] },
    campaigns: [{ name: Hello, variations: [{ name: A, channel: email, locales: [es-MX], source: { id_0: Hi, id_1: Bye } }] }],
    canvases: [{ name: Trip, steps: [{ name: First, variations: [{ name: A, channel: email, locales: [es-MX], source: { id_0: Go } }] }] }]`;
  const planned = await apply(workspace(name, messages), "--dry-run");
  expect(planned.map(({ what }) => what)).toContain("canvas");
  const made = await apply(workspace(name, messages));
  const found = new Map(made.map(({ what, path, id }) => [`${what} ${path}`, id]));
  const [campaign, message] = [found.get(`campaign acme/${name}/Hello`), found.get(`message variation acme/${name}/Hello/A`)];
  const [canvas, step] = [found.get(`canvas acme/${name}/Trip`), found.get(`step acme/${name}/Trip/First`)];
  expect(await apply(workspace(name, messages))).toEqual([]);

  const key = `secret-of-${name}`;
  await expect.poll(async () => (await suite.get(`/campaigns/translations?campaign_id=${campaign}`, { key })).status).toBe(200);
  const source = await suite.get(`/campaigns/translations/source?campaign_id=${campaign}&message_variation_id=${message}`, { key });
  expect(source.body["translations"]).toEqual({ translation_map: { id_0: "Hi", id_1: "Bye" } });
  expect((await suite.get(`/canvas/translations?workflow_id=${canvas}&step_id=${step}`, { key })).status).toBe(200);

  const listed = await command("translations", "list", "--workspace", name);
  for (const id of [campaign, message, canvas, step]) expect(listed.output).toContain(id);
  const missing = await command("translations", "missing", "--workspace", name, "--json", "--check");
  expect([missing.code, JSON.parse(missing.output)]).toEqual([1, [
    expect.objectContaining({ campaign_id: campaign, message_variation_id: message, locale: "es-MX", missing: ["id_0", "id_1"] }),
    expect.objectContaining({ workflow_id: canvas, step_id: step, locale: "es-MX", missing: ["id_0"] }),
  ]]);

  const body = { campaign_id: campaign, message_variation_id: message, locale_id: "es-MX", translation_map: { id_0: "Hola", id_1: "" } };
  expect((await suite.request("PUT", "/campaigns/translations", body, { key })).status).toBe(200);
  const rest = await command("translations", "missing", "--workspace", name, "--locale", "es-mx");
  expect(rest.output).toMatch(/es-MX +Hello\/A +1 +id_1\n/);
});

test("heddle apply keeps what a file leaves out; with --prune it goes, and its translations with it", async () => {
  const name = fresh("ws");
  const settings = "translations: { enabled: true, locales: [es-MX, fr] }";
  const both = `campaigns: [{ name: One, variations: [{ name: A, channel: email, locales: [fr] }] }, { name: Two, variations: [] }]`;
  const made = await apply(workspace(name, `${settings}, ${both}`));
  const one = made.find(({ path }) => path === `acme/${name}/One`)?.id;
  expect(await apply(workspace(name, "campaigns: [{ name: Two, variations: [{ name: A, channel: sms }] }]"))).toMatchObject([
    { action: "created", what: "message variation", path: `acme/${name}/Two/A` },
  ]);
  const key = `secret-of-${name}`;
  await expect.poll(async () => (await suite.get(`/campaigns/translations?campaign_id=${one}`, { key })).status).toBe(200);
  const whole = translationDeclaration(demoKey).trimEnd();
  const pruned = await apply(
    `${whole}\n      - { name: ${name}, translations: { enabled: true, locales: [fr] }, campaigns: [{ name: Two }] }\n`,
    "--prune",
  );
  const gone = pruned.filter(({ path }) => path.startsWith(`acme/${name}/`)).map(({ action, what, path }) => `${action} ${what} ${path}`);
  expect(gone.toSorted()).toEqual([
    `pruned API key acme/${name}/all`,
    `pruned campaign acme/${name}/One`,
    `pruned locale acme/${name}/es-MX`,
    `pruned message variation acme/${name}/Two/A`,
  ]);
});

test.each([
  [
    "an unknown channel",
    "campaigns: [{ name: C, variations: [{ name: A, channel: fax }] }]",
    /line 1: the translations of the workspace .*"fax"/,
  ],
  ["an unknown locale", "campaigns: [{ name: C, variations: [{ name: A, channel: email, locales: [de] }] }]", /"de"/],
  ["an id that is no UUID", "campaigns: [{ id: c-1, name: C }]", /line 1: "id" must be a UUID/],
  ["a flag that is none", "translations: { enabled: maybe }", /"enabled" must be true or false/],
  ["a misspelt field", "canvases: [{ name: C, step: [] }]", /did you mean "steps"/],
  ["two of one name", "canvases: [{ name: C, steps: [{ name: S }, { name: S }] }]", /step "S" stands on line 1 already/],
  ["a locale that is none", "translations: { locales: [Spanish] }", /"Spanish"/],
])("heddle apply refuses %s, and changes nothing", async (_what, more, text) => {
  const name = fresh("ws");
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, workspace(name, more));
  const result = await command("apply", "-f", file);
  expect([result.code, result.errors]).toEqual([1, expect.stringMatching(text)]);
  const listed = await command("translations", "list", "--workspace", name);
  expect([listed.code, listed.errors]).toEqual([1, expect.stringContaining("No workspace is called")]);
});

test("heddle translations missing knows one language and refuses an unknown one", async () => {
  const french = await command("translations", "missing", "--workspace", "demo", "--locale", ids.french, "--json");
  expect(french.code, french.errors).toBe(0);
  expect(new Set((JSON.parse(french.output) as { locale: string }[]).map(({ locale }) => locale))).toEqual(new Set(["fr"]));
  const unknown = await command("translations", "missing", "--workspace", "demo", "--locale", "de");
  expect([unknown.code, unknown.errors]).toEqual([2, expect.stringContaining("The provided locale code does not exist.")]);
});
