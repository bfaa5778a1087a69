/** Preference centers in the console: a draft is seen in a sandbox while it is typed, and published; what stands in it reaches nothing of the console. */
import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { fresh } from "../suite.ts";
import { browserMissing, keepPicture, type Opened } from "./browser.ts";
import { consoleSuite, enter, inOrder, pressByKeyboard, show } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite();

  async function editing(width = 1_280): Promise<Opened & { readonly id: string }> {
    const pages = { preference_center_page_html: "<p>before</p>", confirmation_page_html: "<p>Thanks</p>" };
    const { body } = await suite.accept("/preference_center/v1", { ...pages, name: fresh("center"), state: "active" });
    const id = String(body["preference_center_api_id"]);
    const opened = await signedIn({ width });
    await show(opened.page, "pages", id);
    await opened.page.locator("#edit").click();
    return { ...opened, id };
  }

  /** Of the draft, once it shows this text. */
  async function frameWith(page: Page, text: string): Promise<Frame> {
    await expect.poll(() => page.frameLocator(".preview").locator("body").innerText()).toContain(text);
    const frame = page.frames().find((one) => one.url().endsWith("/console/preview"));
    if (frame === undefined) throw new Error("There is no frame");
    return frame;
  }

  test.each([["phone", 390, "light"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s a draft is seen while it is typed, and published by keyboard alone",
    async (device, width, scheme) => {
      const { page, seen, id } = await editing(width);
      await page.emulateMedia({ colorScheme: scheme });
      await frameWith(page, "before");
      await page.locator("#preference_center_page_html").fill("<h1>Your choices</h1><p>For {{ ${email_address} }}</p>");
      await frameWith(page, "For person@example.com");
      await page.locator(".preview").scrollIntoViewIfNeeded();
      await keepPicture(page, `console-${device}-preview`, { whole: false });
      await inOrder(page, `console-${device}-editor`);
      await page.locator("#preference_center_page_html").fill("<p>{{ oops</p>");
      await expect.poll(() => page.locator("#checked").innerText()).toContain("would not work");
      expect(await page.locator("#publish").isDisabled()).toBe(true);
      await page.locator("#preference_center_page_html").fill("<p>published</p>");
      await expect.poll(() => page.locator("#publish").isDisabled()).toBe(false);
      await page.locator("#state").focus();
      await pressByKeyboard(page, "Publish");
      await page.getByRole("dialog").waitFor();
      await pressByKeyboard(page, "Publish");
      await expect.poll(() => page.locator(".notice.good").innerText()).toContain("newest version");
      await expect.poll(() => page.locator("#versions tbody tr").count()).toBe(2);
      const { body } = await suite.get(`/preference_center/v1/${id}`);
      expect(body["preference_center_page_html"]).toBe("<p>published</p>");
      await page.getByRole("button", { name: "Difference of version 2" }).click();
      await expect.poll(() => page.locator("#difference ins").first().innerText()).toContain("published");
      await inOrder(page, `console-${device}-difference`);
      expect(seen).toMatchObject({ dialogs: [], foreign: [] });
    },
  );

  test("a draft that is not published outlives the session and a way elsewhere, until it is cancelled or published", async () => {
    const { page, seen, id } = await editing();
    const html = page.locator("#preference_center_page_html");
    const asksBeforeItLeaves = async () => await page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await asksBeforeItLeaves()).toBe(false);
    await frameWith(page, "before");
    await page.context().clearCookies();
    await html.fill("<p>long work</p>");
    await page.locator("#enter").waitFor();
    await enter(page, demoKey);
    await expect.poll(() => html.inputValue()).toBe("<p>long work</p>");
    expect(await page.locator("#editor .notice.info").innerText()).toContain("not published");
    await frameWith(page, "long work");
    await inOrder(page, "console-desktop-draft-again");
    await show(page, "keys");
    await page.locator("#keys").waitFor();
    await show(page, "pages", id);
    await expect.poll(() => html.inputValue()).toBe("<p>long work</p>");
    expect(await asksBeforeItLeaves()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await asksBeforeItLeaves()).toBe(false);
    await page.locator("#edit").click();
    expect(await html.inputValue()).toBe("<p>before</p>");
    expect(await page.locator("#editor .notice.info").count()).toBe(0);
    await html.fill("<p>published</p>");
    await frameWith(page, "published");
    await page.locator("#publish").click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await expect.poll(() => page.locator(".notice.good").innerText()).toContain("newest version");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(seen).toMatchObject({ dialogs: [], foreign: [] });
  });

  test("a redirect page and a link lead nowhere in the preview, and what is typed next is seen", async () => {
    const { page, seen } = await editing();
    await page.getByRole("button", { name: "After sending it" }).click();
    await frameWith(page, "Thanks");
    const leadingOn = '<META HTTP-EQUIV="Refresh" content="0;url=https://shop.example.com/">';
    await page.locator("#redirect_page_html").fill(`${leadingOn}<p>Saved</p>`);
    await frameWith(page, "Saved");
    await page.locator("#redirect_page_html").fill(`${leadingOn}<p>See <a href="https://shop.example.com/"><b>the shop</b></a></p>`);
    const frame = await frameWith(page, "the shop");
    await frame.locator("a b").click();
    await page.locator("#redirect_page_html").fill(`${leadingOn}<p>Once more</p>`);
    await frameWith(page, "Once more");
    expect(seen).toMatchObject({ dialogs: [], foreign: [] });
  });

  test("versions beyond the first page are reached and brought back", async () => {
    const pages = { preference_center_page_html: "<p>first</p>", confirmation_page_html: "<p>Thanks</p>" };
    const { body } = await suite.accept("/preference_center/v1", { ...pages, name: fresh("center"), state: "active" });
    const path = `/preference_center/v1/${String(body["preference_center_api_id"])}`;
    for (const text of ["second", "third"]) {
      await suite.request("PUT", path, { ...pages, preference_center_page_html: `<p>${text}</p>`, state: "active" });
    }
    const { page } = await signedIn();
    // Two stand for the hundred that are on a page
    await page.route("**/versions*", (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "2");
      return route.continue({ url: url.href });
    });
    await show(page, "pages", path.split("/").at(-1) ?? "");
    const versions = page.locator("#versions tbody tr");
    await expect.poll(() => versions.count()).toBe(2);
    expect(await page.getByRole("button", { name: "Restore version" }).count()).toBe(1);
    await page.getByRole("button", { name: "Older versions" }).click();
    await page.getByRole("button", { name: "Restore version 1" }).waitFor();
    expect(await versions.count()).toBe(1);
    expect(await page.getByRole("button", { name: "Older versions" }).count()).toBe(0);
    await inOrder(page, "console-desktop-older-versions");
    await page.getByRole("button", { name: "Newest versions" }).click();
    await expect.poll(() => versions.count()).toBe(2);
    await page.getByRole("button", { name: "Older versions" }).click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Restore version 3" }).waitFor();
    expect((await suite.get(path)).body["preference_center_page_html"]).toBe("<p>first</p>");
  });

  test("what stands in a draft runs nothing, and reaches neither cookie nor page nor routes of the console", async () => {
    const { page, seen } = await editing();
    await frameWith(page, "before");
    // The browser reports what the policy stops as a request too; it is never answered
    const answered: string[] = [];
    page.on("response", (response) => answered.push(new URL(response.url()).pathname));
    const hostile = `<p>hostile</p><script>parent.postMessage("ran", "*"); alert(1)</script><img src="x" onerror="alert(2)">
      <form action="/console/keys" method="post"><button>send</button></form><svg onload="alert(3)"></svg>`;
    // Past the server, which takes no such page: the sandbox alone is tried
    await page.evaluate(`document.querySelector(".preview").contentWindow.postMessage({ html: ${JSON.stringify(hostile)} }, "*")`);
    const frame = await frameWith(page, "hostile");
    await frame.locator("button").click();
    const reached = await frame.evaluate<unknown[]>(`(async () => {
      const tried = [() => document.cookie, () => parent.document.title, () => localStorage.length];
      const errors = tried.map((one) => { try { return one(); } catch (error) { return error.name; } });
      const headers = { "x-heddle-console": "1" };
      const fetched = await fetch("/console/session", { headers, credentials: "include" }).then(({ status }) => status, ({ name }) => name);
      return [...errors, fetched, self.origin];
    })()`);
    expect(reached).toEqual(["SecurityError", "SecurityError", "SecurityError", "TypeError", "null"]);
    expect(answered.filter((path) => path.startsWith("/console/"))).toEqual([]);
    expect(seen).toMatchObject({ dialogs: [], foreign: [] });
  });
});
