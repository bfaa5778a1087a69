/** heddle preference-centers beside a running server, and what a declaration says of pages. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { runCommand } from "../command-line.ts";
import { declared } from "../declaration.ts";
import { heddleSuite } from "../suite.ts";
import { letter, storedPage } from "../preference-centers.ts";

const suite = heddleSuite({
  apply: declared({
    demo: {
      limits: { preference_center_update: 1_000 },
      subscriptionGroups: [{ id: letter, name: "Weekly letter", channel: "email" }],
      pages: { scripts: true, origins: ["https://cdn.example.com"] },
      preferenceCenters: [
        { id: "33333333-3333-4333-8333-333333333333", name: "Main", title: "Declared", redirect: "<p>Off you go</p>" },
        { id: "44444444-4444-4444-8444-444444444444", name: "Later", state: "draft" },
      ],
    },
  }),
  env: { HEDDLE_PUBLIC_URL: "https://mail.example.com/data/" },
});

async function command(...words: string[]): Promise<string> {
  const workspace = words[0] === "rotate-link-key" ? [] : ["--workspace", "demo"];
  const { code, output, errors } = await runCommand(["preference-centers", ...words, ...workspace], suite.heddle.commandEnv);
  expect(code, errors).toBe(0);
  return output;
}

const path = "/preference_center/v1/33333333-3333-4333-8333-333333333333";
const pages = { preference_center_page_html: "", confirmation_page_html: "" };

test("preference centers and page settings are declared, with the ids that the file gives", async () => {
  expect((await suite.get(path)).body).toMatchObject({
    name: "Main",
    preference_center_title: "Declared",
    redirect_page_html: "<p>Off you go</p>",
    state: "active",
  });
  const listed = JSON.parse(await command("list", "--json")) as object[];
  expect(listed).toMatchObject([{ name: "Main", version: 1, state: "active" }, { name: "Later", state: "draft" }]);
});

test("what the file leaves out stays as it was: a preference center that was withdrawn stays withdrawn", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "heddle-apply-")), "withdrawn.yaml");
  const id = "55555555-5555-4555-8555-555555555555";
  const center = `{ name: Withdrawn, id: ${id}, title: Declared, page: "<p>Hello</p>" }`;
  writeFileSync(file, `companies: [{ name: acme, workspaces: [{ name: demo, preferenceCenters: [${center}] }] }]`);
  async function applied(): Promise<string> {
    const { code, output, errors } = await runCommand(["apply", "-f", file], suite.heddle.commandEnv);
    expect(code, errors).toBe(0);
    return output;
  }
  const withdrawn = `/preference_center/v1/${id}`;
  expect(await applied()).toContain("acme/demo/Withdrawn");
  expect((await suite.get(withdrawn)).body).toMatchObject({ state: "active" });
  const kept = { preference_center_page_html: "<p>Hello</p>", confirmation_page_html: "" };
  expect((await suite.request("PUT", withdrawn, { ...kept, state: "draft" })).status).toBe(200);
  expect(await applied()).not.toContain("acme/demo/Withdrawn");
  expect((await suite.get(withdrawn)).body).toMatchObject({ state: "draft", preference_center_title: "Declared" });
  expect((await suite.get(`${withdrawn}/versions`)).body["versions"]).toHaveLength(2);
});

test("versions, diff and restore tell and change what the API shows", async () => {
  expect((await suite.request("PUT", path, { ...pages, preference_center_title: "Second" })).status).toBe(200);
  expect(JSON.parse(await command("versions", "Main", "--json"))).toMatchObject([{ version: 2 }, { version: 1, actor: "heddle apply" }]);
  expect(await command("diff", "Main", "2")).toContain("preference_center_title\n@@ -1,1 +1,1 @@\n-Declared\n+Second");
  expect(await command("restore", "Main", "1")).toContain("as version 3");
  expect((await suite.get(path)).body["preference_center_title"]).toBe("Declared");
});

test("versions are listed to the first, however many there are", { timeout: 60_000 }, async () => {
  const { body } = await suite.request("POST", "/preference_center/v1", { ...pages, name: "often-written" });
  const often = `/preference_center/v1/${String(body["preference_center_api_id"])}`;
  for (let version = 2; version <= limits.preferenceVersionsPageMax + 5; version += 1) {
    const written = await suite.request("PUT", often, { ...pages, preference_center_title: `Title ${version}` });
    expect(written.status, written.text).toBe(200);
  }
  const listed = JSON.parse(await command("versions", "often-written", "--json")) as { readonly version: number }[];
  expect(listed.map(({ version }) => version)).toEqual(Array.from({ length: listed.length }, (_, at) => listed.length - at));
  expect(listed).toHaveLength(limits.preferenceVersionsPageMax + 5);
});

test("a link stays good when the key is rotated, and stands under HEDDLE_PUBLIC_URL", async () => {
  await suite.track({ attributes: [{ external_id: "ann", email: "ann@example.com" }] });
  async function urlOf(): Promise<string> {
    const { body, text, status } = await suite.get(`${path}/url/ann`);
    expect(status, text).toBe(200);
    return String(body["preference_center_url"]);
  }
  const first = await urlOf();
  expect(first).toMatch(/^https:\/\/mail\.example\.com\/data\/preferences\/gAAAA/);
  expect(await command("rotate-link-key")).toContain("the key 2");
  const second = await urlOf();
  const made = (await command("url", "Main", "ann", "--url", "https://mail.example.com/data")).trim();
  for (const url of [first, second, made]) {
    const answer = await fetch(url.replace("https://mail.example.com/data", suite.heddle.url));
    expect(answer.status).toBe(200);
    // The built-in page has no script, whatever the workspace allows
    expect(answer.headers.get("content-security-policy")).toMatch(
      /style-src 'unsafe-inline' https:\/\/cdn\.example\.com; .*; script-src 'none'; form-action 'self'/,
    );
  }
});

test("what will not work of a declared page is told beside its change", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "heddle-apply-")), "pages.yaml");
  writeFileSync(
    file,
    `companies: [{ name: acme, workspaces: [{ name: demo, preferenceCenters: [{ name: Plain, page: "<p>Hello {{\${nickname}}}</p>" }] }] }]`,
  );
  const { code, output, errors } = await runCommand(["apply", "-f", file, "--dry-run"], suite.heddle.commandEnv);
  expect([code, errors]).toEqual([0, ""]);
  expect(output).toMatch(/created +preference center +acme\/demo\/Plain .*has no form.*; .*line 1: "\$\{nickname\}" is empty/);
});

test("what will not load or run is told with the write", async () => {
  const html = storedPage.replace(
    "<h1>",
    '<img src="https://cdn.example.com/a.png">\n<img src="https://other.example/b.png"><iframe src="/x"></iframe><h1>',
  );
  const { body, text } = await suite.request("PUT", path, { ...pages, preference_center_page_html: html });
  expect(body["warnings"], text).toEqual([
    "'preference_center_page_html' line 9: <img> is not loaded: https://other.example is not among the origins of the workspace's pages",
    "'preference_center_page_html' line 9: <iframe> is not shown: pages embed nothing",
  ]);
});
