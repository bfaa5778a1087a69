/** GET and POST /unsubscribe/{token}, and heddle consent: links made and histories read beside the running server. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState, letteredGroup, smsGroup } from "../consent.ts";
import { runCommand } from "../command-line.ts";
import { heddleCommand, testShape } from "../heddle.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const run = promisify(execFile);

async function consent(...words: string[]): Promise<string> {
  const workspace = words[0] === "rotate-link-key" ? [] : ["--workspace", "demo"];
  if (testShape === "mesh") {
    const { code, output, errors } = await runCommand(["consent", ...words, ...workspace], heddle.heddle.commandEnv);
    if (code !== 0) throw new Error(errors);
    return output.trim();
  }
  const { dataDir } = heddle.heddle;
  const { program, args } = heddleCommand(dataDir, ["consent", ...words, ...workspace, "--data-dir", dataDir]);
  return (await run(program, args, { env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NO_COLOR: "1" } })).stdout.trim();
}

async function link(email: string, ...words: string[]): Promise<string> {
  return consent("link", "--email", email, "--url", heddle.heddle.url, ...words);
}

function click(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: "List-Unsubscribe=One-Click",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    redirect: "manual",
  });
}

async function unsubscribed(email: string): Promise<boolean> {
  return ((await heddle.get(`/email/unsubscribes?email=${email}`)).body["emails"] as unknown[]).length === 1;
}

test("GET /unsubscribe/{token} shows a page, changes nothing, runs nothing, sets no cookie", async () => {
  const email = freshEmail();
  const answer = await fetch(await link(email), { redirect: "manual" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.headers.get("set-cookie")).toBeNull();
  const page = await answer.text();
  expect(page).toContain(email);
  expect(page).toContain('<form method="post">');
  expect(page).not.toContain("<script");
  expect(await unsubscribed(email)).toBe(false);
});

test("HEAD /unsubscribe/{token} changes nothing, and no other method is a route", async () => {
  const email = freshEmail();
  const url = await link(email);
  const head = await fetch(url, { method: "HEAD", redirect: "manual" });
  expect([head.status, await head.text(), head.headers.get("set-cookie")]).toEqual([200, "", null]);
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const answer = await fetch(url, { method, redirect: "manual" });
    expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, HEAD, POST"]);
  }
  expect(await unsubscribed(email)).toBe(false);
});

/** RFC 8058, section 3.2: either form; the token alone is the proof, so a body that a proxy lost does no harm. */
const oneClick = new FormData();
oneClick.append("List-Unsubscribe", "One-Click");
const bodies: [string, FormData | URLSearchParams | undefined][] = [
  ["application/x-www-form-urlencoded", new URLSearchParams({ "List-Unsubscribe": "One-Click" })],
  ["multipart/form-data", oneClick],
  ["nothing", undefined],
];
for (const [form, body] of bodies) {
  test(`POST /unsubscribe/{token} with ${form} in its body unsubscribes`, async () => {
    const email = freshEmail();
    const answer = await fetch(await link(email), { method: "POST", redirect: "manual", ...(body !== undefined && { body }) });
    expect([answer.status, await answer.json()]).toEqual([200, { message: "success" }]);
    await expect.poll(() => unsubscribed(email)).toBe(true);
  });
}

test("POST /unsubscribe/{token} unsubscribes without key, cookie or redirect; again is the same", async () => {
  const email = freshEmail();
  const url = await link(email);
  for (let round = 0; round < 2; round += 1) {
    const answer = await click(url);
    expect([answer.status, await answer.json()]).toEqual([200, { message: "success" }]);
    expect(answer.headers.get("set-cookie")).toBeNull();
    await expect.poll(() => unsubscribed(email)).toBe(true);
  }
  const page = await click(url, { accept: "text/html,*/*" });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await page.text()).toContain("unsubscribed");
});

test("a link of a group unsubscribes from that group alone", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email }] });
  const url = await link(email, "--group", emailGroup);
  expect(await (await fetch(url)).text()).toContain(`no more email of <strong>Letter</strong> to <strong>${email}</strong>?`);
  expect(await (await click(url, { accept: "text/html" })).text()).toContain("You are unsubscribed from <strong>Letter</strong>.");
  await expect.poll(() => groupState(heddle, emailGroup, { external_id: id })).toBe("Unsubscribed");
  expect(await unsubscribed(email)).toBe(false);
});

test("a link of a group has the id as it was declared; one of an unknown group, or of one that is not of email, is not made", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email }] });
  expect((await click(await link(email, "--group", letteredGroup.toLowerCase()))).status).toBe(200);
  await expect.poll(() => groupState(heddle, letteredGroup, { external_id: id })).toBe("Unsubscribed");
  for (const group of ["nope", smsGroup]) {
    const refused = await runCommand(
      ["consent", "link", "--email", email, "--group", group, "--url", heddle.heddle.url, "--workspace", "demo"],
      heddle.heddle.commandEnv,
    );
    expect(refused.code).toBe(1);
    expect(refused.errors).toContain(`Invalid subscription group ID "${group}"`);
    expect(refused.errors).toContain(`${emailGroup} (Letter)`);
    expect(refused.errors).not.toContain("Offers");
  }
});

test("a forged or damaged token is a 404, as a page for people and in JSON for others, for both methods, and changes nothing", async () => {
  const email = freshEmail();
  const url = await link(email);
  const damaged = [
    `${url}A`,
    url.slice(0, -1),
    `${url.slice(0, -3)}${url.endsWith("AAA") ? "BBB" : "AAA"}`,
    `${heddle.heddle.url}/unsubscribe/x`,
  ];
  for (const forged of damaged) {
    for (const answer of [await click(forged), await fetch(forged)]) {
      expect(answer.status, forged).toBe(404);
      expect(await answer.json()).toEqual({ message: "This unsubscribe link is not valid" });
    }
    const person = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    for (const answer of [await click(forged, person), await fetch(forged, { headers: person })]) {
      expect([answer.status, answer.headers.get("content-type")], forged).toEqual([404, "text/html; charset=utf-8"]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await answer.text()).toContain('<p role="alert">');
    }
  }
  expect(await unsubscribed(email)).toBe(false);
});

test("an old link stays good after the key was rotated", async () => {
  const email = freshEmail();
  const url = await link(email);
  await consent("rotate-link-key");
  expect((await click(await link(freshEmail()))).status).toBe(200);
  expect((await click(url)).status).toBe(200);
  await expect.poll(() => unsubscribed(email)).toBe(true);
});

test("a body that is too large is refused", async () => {
  const answer = await fetch(await link(freshEmail()), { method: "POST", body: "x".repeat(10_000) });
  expect(answer.status).toBe(413);
});

test("heddle consent history tells who set what; verify and export cover the workspace", async () => {
  const [email, id] = [freshEmail(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email }] });
  const headers = { "x-request-id": fresh("request") };
  await heddle.post("/subscription/status/set", { subscription_group_id: emailGroup, subscription_state: "subscribed", email }, {
    headers,
  });
  await heddle.post("/email/blocklist", { email }, { headers });
  await expect.poll(() => unsubscribed(email)).toBe(true);
  const entries = JSON.parse(await consent("history", "--email", email, "--json")) as Record<string, unknown>[];
  expect(entries).toMatchObject([
    { what: emailGroup, before: null, after: "subscribed", requestId: headers["x-request-id"] },
    { what: "email_status", before: null, after: "unsubscribed", requestId: headers["x-request-id"] },
    { what: "email_rejected", before: null, after: "blocklisted", actor: expect.stringMatching(/^key_/) },
  ]);
  expect(await consent("history", "--external-id", id)).toContain(headers["x-request-id"]);
  expect(await consent("history", "--external-id", "nobody-has-it")).toBe(`No user has the external id "nobody-has-it"`);
  expect(JSON.parse(await consent("history", "--email", email, "--json", "--at", "2020-01-01T00:00:00Z"))).toEqual([]);
  expect(await consent("verify")).toMatch(/^subscription: \d+ entr(y|ies).*\nmessaging-status: \d+ entr(y|ies)/);
  const exported = (await consent("export")).split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(exported).toContainEqual(expect.objectContaining({ ledger: "messaging-status", subject: email, what: "email_rejected" }));
});
