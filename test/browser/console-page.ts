/** What tests of the console do on its page. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { seriousViolations } from "./axe.ts";
import { demoKey, type StartOptions } from "../heddle.ts";
import { heddleSuite, type Suite } from "../suite.ts";
import { browserSuite, keepPicture, type Opened } from "./browser.ts";

/** A server and a browser for a file of tests; `signedIn` opens the console there with a key, where people are found first. */
export function consoleSuite(options?: StartOptions) {
  const suite = heddleSuite(options);
  const browser = browserSuite();
  async function signedIn(
    { key = demoKey, width, scheme = "light" }: { key?: string; width?: number; scheme?: "light" | "dark" } = {},
  ): Promise<Opened> {
    const opened = await browser.open(`${suite.heddle.url}/console`, width);
    await opened.page.emulateMedia({ colorScheme: scheme });
    await enter(opened.page, key);
    await opened.page.locator("#find").waitFor();
    return opened;
  }
  return { suite, browser, signedIn };
}

/** The platform id of a user, once the console shows its merge and its consent. */
export async function idOfMerged(suite: Suite, externalId: string): Promise<string> {
  interface Inspected {
    users: { platform_id: string; merges: unknown[]; consent: unknown[] }[];
  }
  let platformId = "";
  await expect.poll(async () => {
    const { users: [user] } = (await suite.request("POST", "/console/users", { external_id: externalId })).body as unknown as Inspected;
    platformId = user?.platform_id ?? "";
    return [user?.merges.length, user?.consent.length];
  }).toEqual([1, 1]);
  return platformId;
}

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
  // A phone makes its window as wide as what does not fit
  expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
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
