/** The console in a browser: a session by a key, people found and mended, keys made and revoked, on wide and narrow screens, light and dark. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { apiKey, declared, operatorPermissions } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh } from "../suite.ts";
import { browserMissing } from "./browser.ts";
import { consoleSuite, enter, idOfMerged, inOrder, show } from "./console-page.ts";

const clean = { dialogs: [], foreign: [] };
const operator = "a-key-of-an-operator";
const viewer = "a-key-that-may-only-look";
const newsletter = "11111111-1111-4111-8111-111111111111";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, browser, signedIn } = consoleSuite({
    apply: declared({
      demo: {
        apiKeys: [
          apiKey("everything", demoKey),
          apiKey("operator", operator, operatorPermissions),
          apiKey("viewer", viewer, ["console.view"]),
        ],
        subscriptionGroups: [{ id: newsletter, name: "Weekly letter", channel: "email" }],
      },
    }),
  });

  test.each([["phone", 390, "light"], ["phone-dark", 390, "dark"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s each view fits, is in order by axe, and loads nothing from elsewhere",
    async (device, width, scheme) => {
      const { id, platformId } = await someHistory();
      const opened = await browser.open(`${suite.heddle.url}/console`, width);
      const { page, seen } = opened;
      await page.emulateMedia({ colorScheme: scheme });
      await page.locator("#enter").waitFor();
      await inOrder(page, `console-${device}-sign-in`);
      await enter(page, operator);
      await expect.poll(() => page.locator("#routes").innerText()).toContain("POST /users/track");
      await expect.poll(() => page.locator("#throughput rect.all").count()).toBe(60);
      await expect.poll(() => page.locator("#errors").innerText()).toContain(`refused-${id}`);
      await inOrder(page, `console-${device}-home`);
      await show(page, "limits");
      await expect.poll(() => page.locator("#limits").innerText()).toContain("users_track");
      await inOrder(page, `console-${device}-limits`);
      await show(page, "operations");
      for (const lane of ["intake-0", "subscription", "messaging-status"]) {
        await expect.poll(() => page.locator("#lanes").innerText()).toContain(lane);
      }
      await inOrder(page, `console-${device}-operations`);
      await show(page, "people");
      await page.locator("#people").waitFor();
      await inOrder(page, `console-${device}-people`);
      for (
        const [tab, text] of [["overview", id], ["fields", "plan"], ["activity", "visited"], ["consent", "Weekly letter"], [
          "merges",
          `merged-${id}`,
        ], ["json", '"external_id"']]
      ) {
        await show(page, "people", platformId, tab ?? "");
        await expect.poll(() => page.locator("#person").innerText()).toContain(text);
        await inOrder(page, `console-${device}-person-${tab}`);
      }
      await show(page, "keys");
      await expect.poll(() => page.locator("#keys").innerText()).toContain("viewer");
      await inOrder(page, `console-${device}-keys`);
      await show(page, "actions");
      await expect.poll(() => page.locator("#actions").innerText()).toContain("/console/session");
      await inOrder(page, `console-${device}-actions`);
      await show(page, "pages");
      await expect.poll(() => page.locator("main").innerText()).toContain("Preference centers");
      await inOrder(page, `console-${device}-centers`);
      await show(page, "session");
      await page.locator("#leave").waitFor();
      await inOrder(page, `console-${device}-session`);
      expect(seen).toMatchObject(clean);
      // The browser itself logs the 401 from before the sign-in
      expect(seen.console.filter((line) => !line.includes("401"))).toEqual([]);
    },
    // A picture and a look of axe at each of seventeen
    180_000,
  );

  test("a session survives a reload, no script can read it, and signing out ends it", async () => {
    const { page } = await signedIn();
    expect(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")).toBe(0);
    expect(await page.content()).not.toContain(demoKey);
    await page.reload();
    await page.locator("#find").waitFor();
    await show(page, "session");
    await page.locator("#leave").click();
    await page.locator("#enter").waitFor();
    await page.reload();
    await page.locator("#enter").waitFor();
  });

  test("signing out everywhere ends the sessions of the key in other browsers", async () => {
    const here = await signedIn({ key: viewer });
    const there = await signedIn({ key: viewer });
    await show(there.page, "session");
    await there.page.locator("#leave-all").click();
    await there.page.locator("#enter").waitFor();
    // The other page asks again, and is signed out too
    await here.page.locator("#enter").waitFor();
    await expect.poll(() => here.page.locator(".notice").innerText()).toContain("Sign in again");
  });

  test("a wrong key is told, and opens nothing", async () => {
    const { page } = await browser.open(`${suite.heddle.url}/console`);
    await enter(page, "a-key-that-nobody-made");
    await expect.poll(() => page.locator(".notice").innerText()).toContain("Invalid API key");
    expect(await page.locator("#find").count()).toBe(0);
  });

  test("a person is found by each kind of name, at an address that a reload keeps", async () => {
    const id = fresh();
    const found = { external_id: id, email: `${id}@example.com`, phone: "+14155550142" };
    const alias = { alias_label: "ticket", alias_name: `alias-${id}` };
    await suite.track({ attributes: [{ ...found, first_name: id }] });
    await suite.request("POST", "/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
    const { page } = await signedIn({ key: viewer, width: 390 });
    for (const name of Object.values(found)) {
      await show(page, "people");
      await page.locator("#people").waitFor();
      await find(page, name);
      await expect.poll(() => page.locator("h1").innerText()).toBe(id);
    }
    await page.reload();
    await expect.poll(() => page.locator("h1").innerText()).toBe(id);
    await show(page, "people");
    await page.locator("#people").waitFor();
    await page.locator("#by").selectOption("user_alias");
    await page.locator("#label").fill(alias.alias_label);
    await find(page, alias.alias_name);
    await expect.poll(() => page.locator("h1").innerText()).toBe(id);
    // A key that may only look is offered nothing else
    expect(await page.locator("#remove, #export, #make-key").count()).toBe(0);
    expect(await page.locator("nav").first().innerText()).not.toContain("Keys");
  });

  test("a new user finds a person by email, undoes a merge and sees it in the audit log", async () => {
    const { id } = await someHistory();
    const { page } = await signedIn();
    await find(page, `${id}@example.com`);
    await expect.poll(() => page.locator("h1").innerText()).toContain("Ann");
    await page.getByRole("link", { name: "Merges" }).click();
    await expect.poll(() => page.locator("#person").innerText()).toContain("left");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator("#person").innerText()).toContain("taken back");
    await page.getByRole("link", { name: "Show who came back" }).click();
    await expect.poll(() => page.locator("h1").innerText()).toBe(`${id}-2`);
    await page.getByRole("link", { name: "Audit log" }).click();
    await expect.poll(() => page.locator("#actions").innerText()).toContain("/users/merge/undo");
    expect(await page.locator("#actions").innerText()).toContain("everything");
  });

  test("two people are merged after a preview, and a person is deleted", async () => {
    const id = fresh();
    await suite.track({ attributes: [{ external_id: id, first_name: "Kim" }, { external_id: `${id}-2`, country: "DE" }] });
    const { page } = await signedIn();
    await find(page, id);
    await page.getByRole("link", { name: "Merges" }).click();
    await page.locator("#other").fill(`${id}-2`);
    await page.getByRole("button", { name: "Preview" }).click();
    await expect.poll(() => page.locator(".sides").innerText()).toContain('"country": "DE"');
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await expect.poll(() => page.locator(".undo").count()).toBe(1);
    await page.locator("#remove").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await expect.poll(() => page.locator("main").innerText()).toContain("The person was deleted");
    expect(await suite.find({ external_ids: [id] })).toEqual([]);
  });

  test("a key is made, opens the console, is revoked, and its session ends", async () => {
    const { page } = await signedIn();
    await page.getByRole("link", { name: "Keys" }).click();
    await page.locator("#make-key").click();
    const name = fresh("key");
    await page.locator("#key-name").fill(name);
    await page.getByRole("dialog").getByText("console.view", { exact: true }).click();
    await page.getByRole("button", { name: "Make the key" }).click();
    const secret = await page.locator("#secret code").innerText();
    expect(await page.locator("#keys tr", { hasText: name }).innerText()).toContain("no use known");
    const other = await signedIn({ key: secret });
    await page.getByRole("button", { name: `Revoke ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await other.page.locator("#enter").waitFor();
    await expect.poll(() => page.locator("#keys").innerText()).not.toContain(name);
    expect(await page.locator(".notice.good").innerText()).toContain(name);
    expect(await page.locator("#secret").count()).toBe(0);
  });

  test("what a version of a preference center changed is shown, and an earlier one is brought back", async () => {
    const { heddle } = suite;
    const name = fresh("center");
    function content(text: string): object {
      return { name, preference_center_page_html: `<p>${text}</p>`, confirmation_page_html: "<p>Thanks</p>", state: "active" };
    }
    const { body: made } = await heddle.request("POST", "/preference_center/v1", content("first"));
    const id = String((made as unknown as Record<string, unknown>)["preference_center_api_id"]);
    expect((await heddle.request("PUT", `/preference_center/v1/${id}`, content("second"))).status).toBe(200);
    const { page } = await signedIn();
    await page.getByRole("link", { name: "Pages" }).click();
    await page.getByRole("link", { name }).click();
    await page.getByRole("button", { name: "Difference of version 2" }).click();
    await expect.poll(() => page.locator("#difference").innerText()).toContain("+<p>second</p>");
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await expect.poll(() => page.locator("main").innerText()).toContain("The version was restored");
    await inOrder(page, "console-desktop-pages");
    expect((await heddle.request("GET", `/preference_center/v1/${id}`)).text).toContain("first");
  });

  test("by keyboard alone: skip, find, tabs, and a dialog that gives the focus back", async () => {
    const { id } = await someHistory();
    const { page } = await signedIn();
    await page.locator("#name").focus();
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("h1").innerText()).toContain("Ann");
    await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("H1");
    await page.locator("#remove").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect(await page.evaluate("document.activeElement?.id")).toBe("remove");
  });

  test("what a person is called is text and never part of the page", async () => {
    const id = fresh();
    const name = `<img src=x onerror="alert(1)">`;
    await suite.track({ attributes: [{ external_id: id, first_name: name, [`<script>${id}`]: name }] });
    const { page, seen } = await signedIn();
    await find(page, id);
    await expect.poll(() => page.locator("h1").innerText()).toBe(name);
    await page.getByRole("link", { name: "Fields" }).click();
    await expect.poll(() => page.locator("#person").innerText()).toContain(`<script>${id}`);
    expect(await page.locator("#app img, #app script").count()).toBe(0);
    expect(seen).toMatchObject(clean);
  });

  /** A person who was named, merged and subscribed by requests with ids of their own. */
  async function someHistory(): Promise<{ id: string; platformId: string }> {
    const id = fresh();
    const { heddle } = suite;
    async function send(requestId: string, path: string, body: unknown): Promise<void> {
      await heddle.request("POST", path, body, { headers: { "x-request-id": requestId } });
    }
    await send(`named-${id}`, "/users/track", {
      attributes: [{ external_id: id, first_name: "Ann", email: `${id}@example.com` }],
      events: [{ external_id: id, name: "visited", time: "2026-01-02T03:04:05Z" }],
      purchases: [{ external_id: id, product_id: "book", currency: "USD", price: 12.5, time: "2026-02-02T03:04:05Z" }],
    });
    await send(`planned-${id}`, "/users/track", {
      attributes: [{ external_id: id, plan: "pro", tags: ["a", "b"], address: { city: "Bonn" } }],
    });
    await send(`other-${id}`, "/users/track", { attributes: [{ external_id: `${id}-2`, country: "DE" }] });
    await send(`merged-${id}`, "/users/merge", {
      merge_updates: [{ identifier_to_merge: { external_id: `${id}-2` }, identifier_to_keep: { external_id: id } }],
    });
    await send(`consented-${id}`, "/subscription/status/set", {
      subscription_group_id: newsletter,
      subscription_state: "subscribed",
      external_id: [id],
    });
    await send(`refused-${id}`, "/users/track", { attributes: "none" });
    return { id, platformId: await idOfMerged(suite, id) };
  }
});

async function find(page: Page, name: string): Promise<void> {
  await page.locator("#name").fill(name);
  await page.locator("#find button").click();
}
