/** The console in a browser: a key opens it and stays in memory, it shows what happens, and says which request set each field. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";
import { browserMissing, browserSuite, keepPicture } from "./browser.ts";

const clean = { dialogs: [], foreign: [] };

describe.skipIf(browserMissing)("in Chromium", () => {
  const suite = heddleSuite();
  const browser = browserSuite();

  test.each([["phone", 390], ["desktop", 1_280]])(
    "on a %s it shows state, throughput, limits, refusals and a user",
    async (device, width) => {
      const id = await someHistory();
      const { page, seen } = await browser.open(`${suite.heddle.url}/console`, width);
      await keepPicture(page, `console-${device}-closed`);
      await enter(page, demoKey);
      await page.locator("#board").waitFor();
      for (const lane of ["intake-0", "subscription", "messaging-status"]) {
        await expect.poll(() => page.locator("#state").innerText()).toContain(`Lag of ${lane}`);
      }
      await expect.poll(() => page.locator("#routes").innerText()).toContain("POST /users/track");
      await expect.poll(() => page.locator("#throughput rect.all").count()).toBe(60);
      expect(await page.locator("#limits").innerText()).toContain("users_track");
      await expect.poll(() => page.locator("#errors").innerText()).toContain(`refused-${id}`);
      await find(page, "external_id", id);
      await expect.poll(() => page.locator("#users").innerText()).toContain(`named-${id}`);
      expect(await rowOf(page, "first_name")).toContain(`named-${id}`);
      expect(await rowOf(page, "plan (custom)")).toContain(`planned-${id}`);
      expect(await page.locator("#users").innerText()).toContain(`merged-${id}`);
      expect(await page.locator("#users").innerText()).toContain(`consented-${id}`);
      await keepPicture(page, `console-${device}`);
      expect(await fits(page)).toBe(true);
      expect(seen).toMatchObject(clean);
      expect(seen.console).toEqual([]);
    },
  );

  test("a user is found by each kind of name", async () => {
    const id = fresh();
    const found = { external_id: id, email: `${id}@example.com`, phone: "+14155550142" };
    const alias = { alias_label: "ticket", alias_name: `alias-${id}` };
    await suite.track({ attributes: [{ ...found, first_name: id }] });
    await suite.heddle.request("POST", "/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
    const { page } = await browser.open(`${suite.heddle.url}/console`, 390);
    await enter(page, demoKey);
    await page.locator("#board").waitFor();
    for (const [by, name] of Object.entries(found)) {
      await find(page, by, name);
      await expect.poll(() => rowOf(page, "first_name")).toContain(id);
      await page.locator("#users").evaluate((users) => users.replaceChildren());
    }
    await page.locator("#by").selectOption("user_alias");
    await page.locator("#label").fill(alias.alias_label);
    await find(page, "user_alias", alias.alias_name);
    await expect.poll(() => rowOf(page, "first_name")).toContain(id);
    expect(await fits(page)).toBe(true);
    await keepPicture(page, "console-phone-alias");
  });

  test("the key is nowhere but in the page's memory: loading it again asks for it again", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/console`);
    await enter(page, demoKey);
    await page.locator("#board").waitFor();
    expect(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")).toBe(0);
    expect(page.url()).toBe(`${suite.heddle.url}/console`);
    expect(await page.content()).not.toContain(demoKey);
    await page.reload();
    await page.locator("#enter").waitFor();
    expect(await page.locator("#board").isHidden()).toBe(true);
  });

  test("a wrong key is told, and opens nothing", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/console`);
    await enter(page, "a-key-that-nobody-made");
    await expect.poll(() => page.locator("#problem").innerText()).toContain("Invalid API key");
    expect(await page.locator("#board").isHidden()).toBe(true);
  });

  test("what a user is called is text and never part of the page", async () => {
    const id = fresh();
    const name = `<img src=x onerror="alert(1)">`;
    await suite.track({ attributes: [{ external_id: id, first_name: name, [`<script>${id}`]: name }] });
    const { page, seen } = await browser.open(`${suite.heddle.url}/console`);
    await enter(page, demoKey);
    await page.locator("#board").waitFor();
    await find(page, "external_id", id);
    await expect.poll(() => page.locator("#users").innerText()).toContain(name);
    expect(await page.locator("#users img").count()).toBe(0);
    expect(seen).toMatchObject(clean);
  });

  /** A user who was named, merged and subscribed by requests with ids of their own; gives its external id. */
  async function someHistory(): Promise<string> {
    const id = fresh();
    const { heddle } = suite;
    async function send(requestId: string, path: string, body: unknown): Promise<void> {
      await heddle.request("POST", path, body, { headers: { "x-request-id": requestId } });
    }
    await send(`named-${id}`, "/users/track", { attributes: [{ external_id: id, first_name: "Ann", email: `${id}@example.com` }] });
    await send(`planned-${id}`, "/users/track", {
      attributes: [{ external_id: id, plan: "pro", tags: ["a", "b"], address: { city: "Bonn" } }],
    });
    await send(`other-${id}`, "/users/track", { attributes: [{ external_id: `${id}-2`, country: "DE" }] });
    await send(`merged-${id}`, "/users/merge", {
      merge_updates: [{ identifier_to_merge: { external_id: `${id}-2` }, identifier_to_keep: { external_id: id } }],
    });
    await send(`consented-${id}`, "/email/status", { email: `${id}@example.com`, subscription_state: "unsubscribed" });
    await send(`refused-${id}`, "/users/track", { attributes: "none" });
    return id;
  }
});

async function enter(page: Page, key: string): Promise<void> {
  await page.locator("#key").fill(key);
  await page.locator("#enter button").click();
}

async function find(page: Page, by: string, name: string): Promise<void> {
  await page.locator("#by").selectOption(by);
  await page.locator("#name").fill(name);
  await page.locator("#find button").click();
}

async function rowOf(page: Page, field: string): Promise<string> {
  return await page.locator("#users tr", { has: page.getByText(field, { exact: true }) }).first().innerText();
}

/** No sideways scrolling. */
async function fits(page: Page): Promise<boolean> {
  return await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth");
}
