/** Pages on a host of their own, and links whose token is written nowhere. */
import { expect, test } from "vitest";
import { centerDeclaration, freshWorkspace, storedPage } from "../preference-centers.ts";
import { head, rawExchange } from "../raw.ts";
import { heddleSuite } from "../suite.ts";

const pagesHost = "mail.example.com";
const suite = heddleSuite({
  apply: centerDeclaration,
  env: { HEDDLE_PUBLIC_URL: "https://data.example.com", HEDDLE_PAGES_URL: `https://${pagesHost}/`, HEDDLE_LOG_LEVEL: "debug" },
});

async function statusAt(host: string, path: string, headers: readonly string[] = []): Promise<number | undefined> {
  const sent = head(`GET ${path} HTTP/1.1`, [`Host: ${host}`, "Connection: close", ...headers]);
  return (await rawExchange(suite.heddle.url, [sent])).statuses[0];
}

test("links begin with the host of pages, which serves them and nothing else; another host serves all", async () => {
  const workspace = freshWorkspace(suite);
  const url = await workspace.url(await workspace.create(), await workspace.person());
  expect(url).toMatch(/^https:\/\/mail\.example\.com\/preferences\/[\w-]+$/);
  const { pathname } = new URL(url);
  for (const path of ["/console", "/docs", "/openapi.json", "/livez", "/users/export/ids", "/scim/v2/Users"]) {
    expect([path, await statusAt(pagesHost, path)]).toEqual([path, 404]);
  }
  expect(await statusAt(pagesHost, pathname)).toBe(200);
  expect(await statusAt(pagesHost.toUpperCase(), "/console")).toBe(404);
  expect([await statusAt("data.example.com", "/console"), await statusAt("data.example.com", pathname)]).toEqual([200, 200]);
});

test("a browser at the root is shown the documents, but not on the host of pages, which has none", async () => {
  const browser = ["Accept: text/html"];
  expect([await statusAt("data.example.com", "/", browser), await statusAt(pagesHost, "/", browser)]).toEqual([303, 404]);
});

test.each([
  [`http://${pagesHost}/livez`, "data.example.com", 404],
  ["HTTPS://data.example.com:443/livez?http://x/", pagesHost, 200],
  ["http://[2001:db8::1]:8080/users/track", pagesHost, 405],
  ["http://data.example.com?a", pagesHost, 404],
])("the target %s is served, and its host counts in place of %s: %i", async (target, host, status) => {
  expect(await statusAt(host, target)).toBe(status);
});

test("the token of a link is in no line of the log, however the request goes", async () => {
  const workspace = freshWorkspace(suite);
  const url = await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), await workspace.person());
  const { pathname } = new URL(url);
  const token = pathname.slice("/preferences/".length);
  const here = `${suite.heddle.url}${pathname}`;
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } };
  const answers = [
    await fetch(here),
    await fetch(`${here}?save`, { ...form, body: "email_global_state=unsubscribed" }),
    await fetch(`${here}?save`, { ...form, body: "email_global_state=maybe" }),
    await fetch(`${here}?save`, { ...form, body: "x=y", headers: { "content-type": "text/plain" } }),
    await fetch(`${here}x`),
    await fetch(`${here}/x`, { method: "POST" }),
    await fetch(here, { method: "DELETE" }),
    await fetch(here.replace("/preferences/", "/unsubscribe/")),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 415, 404, 404, 405, 404]);
  for (const { headers } of answers.slice(0, 5)) expect(headers.get("referrer-policy")).toBe("no-referrer");
  await expect.poll(() => suite.heddle.output()).toContain("/preferences/:token");
  expect(suite.heddle.output()).not.toContain(token.slice(0, 40));
});
