/** What tests of the console do on its page. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { seriousViolations } from "./axe.ts";
import { keepPicture } from "./browser.ts";

export async function enter(page: Page, key: string): Promise<void> {
  await page.locator("#key").fill(key);
  await page.locator("#enter button").click();
}

export async function show(page: Page, ...address: readonly string[]): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${address.map(encodeURIComponent).join("/")}`)}`);
}

/** No sideways scrolling, nothing serious for axe; a picture for people. */
export async function inOrder(page: Page, name: string): Promise<void> {
  await keepPicture(page, name);
  expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name).toBe(true);
  expect(await seriousViolations(page), name).toEqual([]);
}

/** Presses Tab until `name` has the focus, and then Enter: a person without a mouse gets there. */
export async function pressByKeyboard(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
    );
    if (focused.trim() === name) return await page.keyboard.press("Enter");
  }
  throw new Error(`"${name}" takes no focus`);
}

const pressesMax = 200;
