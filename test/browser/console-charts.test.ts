/** The charts of the console's first page in a browser: on a narrow screen, by keyboard, as a table and as a file. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";
import { browserMissing, browserSuite } from "./browser.ts";
import { enter, inOrder } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const suite = heddleSuite();
  const browser = browserSuite();

  test("charts show what was counted: by range, under the keys, in the legend, as a table and as CSV; a new workspace says what to do", async () => {
    const { page, seen } = await browser.open(`${suite.heddle.url}/console`, 390);
    await enter(page, demoKey);
    await expect.poll(() => page.locator("#happening").innerText()).toContain("Nothing was sent to this workspace yet");
    expect(await page.locator("#happening").getByRole("link", { name: "the first steps" }).getAttribute("href")).toBe("/");
    await inOrder(page, "console-phone-new");
    const id = fresh();
    const name = fresh("chart");
    const time = new Date().toISOString();
    await suite.track({
      events: [{ external_id: id, name, time }, { external_id: id, name, time }, { external_id: id, name: `=${name}`, time }],
      purchases: [
        { external_id: id, product_id: "p", currency: "CHF", price: 1234.5, time },
        { external_id: id, product_id: "p", currency: "JPY", price: 150_000, time },
      ],
    });
    await page.reload();
    const events = page.locator("#chart-events");
    await expect.poll(() => events.locator(".legend").innerText()).toContain(`${name} 2`);
    // Amounts of different currencies are in no chart together
    expect(await page.locator("[id^=chart-revenue] .legend").allInnerTexts()).toEqual(["CHF 1,234.50", "JPY 150,000.00"]);
    expect(await page.locator("#chart-users .legend").innerText()).toContain("new");
    for (const range of ["7 days, by hour", "A year, by day", "24 hours, by minute"]) {
      await page.getByRole("button", { name: range }).click();
      await expect.poll(() => events.locator(".legend").innerText()).toContain(`${name} 2`);
      expect(await page.getByRole("button", { name: range }).getAttribute("aria-pressed")).toBe("true");
    }
    await events.locator("svg[role=img]").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Home");
    await expect.poll(() => events.locator(".looked time").getAttribute("title")).toContain("(UTC)");
    const bars = events.locator("svg[role=img] rect");
    const before = await bars.count();
    await events.getByRole("button", { name: `${name} 2` }).click();
    expect(await bars.count()).toBeLessThanOrEqual(before);
    expect(await events.getByRole("button", { name: `${name} 2` }).getAttribute("aria-pressed")).toBe("false");
    await events.locator("summary").click();
    expect(await events.locator("table th[scope=col]").first().innerText()).toBe("Time");
    const [download] = await Promise.all([page.waitForEvent("download"), events.getByRole("button", { name: "CSV" }).click()]);
    const csv = await readFile(await download.path(), "utf8");
    expect(csv.split("\r\n")[0]).toContain(`"${name}"`);
    expect(csv).toContain(`"'=${name}"`);
    await inOrder(page, "console-phone-charts");
    expect(seen).toMatchObject({ dialogs: [], foreign: [] });
  });

  test("what was refused is a chart at Home, and limits are shown over time", async () => {
    expect((await suite.post("/users/track", { attributes: "none" })).status).toBe(400);
    const { page, seen } = await browser.open(`${suite.heddle.url}/console`, 390);
    await enter(page, demoKey);
    const refused = page.locator("#chart-refused");
    await expect.poll(() => refused.locator(".legend").innerText(), { timeout: 40_000 }).toContain("INPUT_INVALID");
    await page.goto(`${suite.heddle.url}/console#/limits`);
    const used = page.locator("#chart-requests");
    await expect.poll(() => used.locator(".legend").innerText(), { timeout: 40_000 }).toContain("users_track");
    await page.locator("#limits-over-time").getByRole("button", { name: "A year, by day" }).click();
    await expect.poll(() => used.locator(".legend").innerText(), { timeout: 40_000 }).toContain("users_track");
    await used.locator("summary").click();
    expect(await used.locator("table th[scope=col]").first().innerText()).toBe("Time");
    await inOrder(page, "console-phone-limits");
    await page.locator("#limit").selectOption("users_track");
    await expect.poll(() => page.locator("#limits-over-time").innerText()).toMatch(/It allows [\d,]+ requests in/);
    expect(await page.locator("#chart-requests .legend button").count()).toBe(1);
    expect(seen).toMatchObject({ dialogs: [], foreign: [] });
  });
});
