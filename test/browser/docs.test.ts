/** The pages below /docs in a browser: the steps can be followed, a call can be tried with a key, and nothing comes from elsewhere. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";
import { browserMissing, browserSuite, keepPicture } from "./browser.ts";

const nothing = { dialogs: [], foreign: [], console: [] };

describe.skipIf(browserMissing)("in Chromium", () => {
  const suite = heddleSuite();
  const browser = browserSuite();

  test.each([["phone", 390], ["desktop", 1_280]])("try-it on a %s sends a track and shows its 201", async (device, width) => {
    const { page, seen } = await browser.open(`${suite.heddle.url}/docs/try`, width);
    await page.locator("#operations-Users-trackUsers").waitFor();
    await keepPicture(page, `docs-${device}`);
    expect(await page.evaluate("getComputedStyle(document.querySelector('pre.version')).backgroundColor")).toBe("rgba(0, 0, 0, 0)");
    expect(await fits(page)).toBe(true);
    await authorize(page, demoKey);
    expect(await tryIt(page, "#operations-Users-trackUsers")).toContain("201");
    expect(await fits(page)).toBe(true);
    expect(seen).toEqual(nothing);
    expect((await suite.find({ external_ids: ["ann"] })).map(({ first_name: name }) => name)).toEqual(["Ann"]);
  });

  test("try-it shows the refusal of a wrong key", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/docs/try`);
    await authorize(page, "a-key-that-nobody-made");
    expect(await tryIt(page, "#operations-Users-trackUsers")).toContain("401");
    await expect.poll(() => page.locator("#operations-Users-trackUsers .live-responses-table").innerText()).toContain("Invalid API key");
  });

  test("the steps of the page work as they stand there, for this server", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/docs`);
    const commands = await page.locator(".steps pre").allTextContents();
    const statuses: number[] = [];
    for (const command of commands.filter((text) => text.startsWith("curl "))) {
      const [, url = "", body = ""] = /^curl (\S+)[^]* -d '([^]*)'$/.exec(command) ?? [];
      expect(new URL(url).origin).toBe(suite.heddle.url);
      statuses.push((await suite.request("POST", new URL(url).pathname, body)).status);
    }
    expect(statuses).toEqual([201, 201]);
  });

  test.each([["phone", 390], ["desktop", 1_280]])(
    "the errors on a %s lead from a reason to its row, with guides and search as on every page",
    async (device, width) => {
      const { page, seen } = await browser.open(`${suite.heddle.url}/docs/errors#RATE_LIMITED`, width);
      await keepPicture(page, `errors-${device}`);
      expect(await page.locator("#RATE_LIMITED").innerText()).toContain("429");
      expect(await page.locator("#objects + p").innerText()).toContain("input_array");
      expect([await page.locator(".guides a").count() > 0, await page.locator("#search").isVisible()]).toEqual([true, true]);
      expect(await fits(page)).toBe(true);
      expect(seen).toEqual(nothing);
    },
  );
});

describe.skipIf(browserMissing)("guides and calls in Chromium", () => {
  const suite = heddleSuite();
  const browser = browserSuite();

  test.each([["phone", 390], ["desktop", 1_280]])(
    "read well on a %s, light and dark, with nothing from elsewhere",
    async (device, width) => {
      for (const place of ["docs", "docs/users", "docs/architecture", "docs/errors", "docs/calls", "docs/calls/trackUsers"]) {
        const { page, seen } = await browser.open(`${suite.heddle.url}/${place}`, width);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await keepPicture(page, `${place.replaceAll("/", "-")}-${device}-${colorScheme}`);
          expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
            colorScheme === "dark" ? "rgb(20, 25, 31)" : "rgb(255, 255, 255)",
          );
        }
        expect([place, await fits(page)]).toEqual([place, true]);
        expect(seen).toEqual(nothing);
      }
    },
  );

  test("the search finds a guide and a call, a language stays chosen, and the theme can be turned", async () => {
    const { page, seen } = await browser.open(`${suite.heddle.url}/docs`);
    await page.keyboard.press("/");
    await page.keyboard.type("undo merge");
    await page.locator("#found a").first().waitFor();
    expect((await page.locator("#found a").allTextContents()).join()).toContain("POST /users/merge/undo");
    await page.goto(`${suite.heddle.url}/docs/calls/trackUsers`);
    await page.locator(".languages button", { hasText: "Python" }).click();
    await page.goto(`${suite.heddle.url}/docs/calls/exportUsers`);
    expect(await page.locator(".sample:visible").innerText()).toContain("import httpx");
    await page.locator("#theme").click();
    await page.reload();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(seen).toEqual(nothing);
  });

  test("the first Tab offers a way past the guides, which leads to the content", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/docs/errors`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("MAIN");
  });

  test("a browser that is given the address alone lands on the first steps", async () => {
    const { page } = await browser.open(suite.heddle.url);
    expect(new URL(page.url()).pathname).toBe("/docs");
  });
});

/** No sideways scrolling. */
async function fits(page: Page): Promise<boolean> {
  // A phone makes its window as wide as what does not fit
  return await page.evaluate<number>("document.documentElement.scrollWidth") <= (page.viewportSize()?.width ?? 0);
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.locator(".btn.authorize").first().click();
  // As one who pastes at once, without looking where the cursor is
  await expect.poll(() => page.evaluate("document.activeElement === document.querySelector('.auth-container input')")).toBe(true);
  await page.keyboard.insertText(key);
  await page.locator(".auth-btn-wrapper .authorize").first().click();
  await page.locator(".btn-done").first().click();
}

/** Opens the call, sends its example, and gives the status that is shown. */
async function tryIt(page: Page, operation: string): Promise<string> {
  await page.locator(`${operation} .opblock-summary-control`).click();
  await page.locator(`${operation} .execute`).click();
  const status = page.locator(`${operation} .live-responses-table .response .response-col_status`).first();
  await status.waitFor();
  return await status.innerText();
}
