/** People in the console, in a browser: found by how a name begins, long lists, both sides of a merge, the checked ledger, on paper. */
import { describe, expect, test } from "vitest";
import { declared } from "../declaration.ts";
import { fresh } from "../suite.ts";
import { browserMissing, keepPrint } from "./browser.ts";
import { consoleSuite, idOfMerged, inOrder, show } from "./console-page.ts";

const newsletter = "11111111-1111-4111-8111-111111111111";

describe.skipIf(browserMissing)("people, in Chromium", () => {
  const { suite, signedIn } = consoleSuite({
    apply: declared({ demo: { subscriptionGroups: [{ id: newsletter, name: "Weekly letter", channel: "email" }] } }),
  });

  test("people are found while the beginning of a name is typed, by keyboard alone; the list that was chosen outlives a reload", async () => {
    const id = fresh();
    await suite.track({ attributes: [{ external_id: `${id}-a`, first_name: "Ann" }, { external_id: `${id}-b`, first_name: "Bob" }] });
    const { page } = await signedIn({ width: 390 });
    await show(page, "people");
    await page.locator("#people").waitFor();
    await page.locator("#list").selectOption("oldest");
    await page.locator("#name").focus();
    await page.keyboard.type(id);
    await expect.poll(() => page.locator("#begins").innerText()).toContain("Bob");
    await inOrder(page, "console-phone-begins");
    await page.locator("#begins").getByRole("link", { name: "Bob" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("h1").innerText()).toBe("Bob");
    await page.goBack();
    await page.locator("#people").waitFor();
    await page.reload();
    await page.locator("#people").waitFor();
    expect(await page.locator("#list").inputValue()).toBe("oldest");
  });

  test("people are listed by who was changed last and by group, and counted", async () => {
    const id = fresh();
    await suite.track({
      attributes: [{ external_id: `${id}-a`, first_name: `Ada ${id}` }, { external_id: `${id}-b`, first_name: `Ben ${id}` }],
    });
    await suite.track({ attributes: [{ external_id: `${id}-a`, first_name: `Ada ${id}`, a: 1 }] });
    const set = { subscription_group_id: newsletter, subscription_state: "subscribed", external_id: [`${id}-b`] };
    expect((await suite.request("POST", "/subscription/status/set", set)).status).toBe(201);
    const { page } = await signedIn({ width: 390 });
    const listed = async (list: string) => {
      await show(page, "people");
      await page.locator("#list").selectOption("newest");
      await page.locator("#list").selectOption(list);
      await page.locator("#people table").waitFor();
      return await page.locator("#people").innerText();
    };
    // What was written is listed a moment later
    await expect.poll(async () => (await listed("changed")).match(/Ada|Ben/)?.[0]).toBe("Ada");
    await inOrder(page, "console-phone-changed");
    await expect.poll(() => listed("subscribed")).toContain(`Ben ${id}`);
    expect(await page.locator("#group").inputValue()).toBe(newsletter);
    expect(await page.locator("#people").innerText()).not.toContain(`Ada ${id}`);
    expect(await page.locator("#listed").innerText()).toBe("1 person");
    await inOrder(page, "console-phone-members");
    await page.locator("#list").selectOption("unsubscribed");
    await expect.poll(() => page.locator("#people").innerText()).toContain("Nobody here");
    const { body } = await suite.request("GET", "/console/series");
    const { users } = body as unknown as { users: { count: number } };
    for (const view of ["people", "home"]) {
      await show(page, view);
      await page.locator(view === "home" ? "#happening" : "#people").waitFor();
      await expect.poll(() => page.locator("#total").innerText()).toContain(`${users.count} people`);
    }
  });

  test("of a long list only what is near is in the page, and it can be read to its end", async () => {
    const id = fresh();
    const many = Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`attribute-${String(at).padStart(3, "0")}`, at]));
    await suite.track({ attributes: [{ external_id: id, ...many }] });
    const { page } = await signedIn();
    await page.locator("#name").fill(id);
    await page.locator("#find button").click();
    await page.getByRole("link", { name: "Fields" }).click();
    await expect.poll(() => page.locator("#person").innerText()).toContain("attribute-000");
    expect(await page.locator("#person").innerText()).not.toContain("attribute-239");
    expect(await page.locator("#person tr").count()).toBeLessThan(200);
    await expect.poll(async () => {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      return await page.locator("#person").innerText();
    }).toContain("attribute-239");
    expect(await page.locator("#person").innerText()).not.toContain("attribute-000");
    await inOrder(page, "console-desktop-long-list");
  });

  test("merges show both sides, consent was checked, and a tab prints without what cannot be pressed on paper", async () => {
    const platformId = await mergedPerson();
    const { page } = await signedIn();
    await show(page, "people", platformId, "merges");
    await page.getByRole("button", { name: "Both sides" }).click();
    await expect.poll(() => page.getByRole("dialog").innerText()).toContain('"country": "DE"');
    await inOrder(page, "console-desktop-sides");
    await page.keyboard.press("Escape");
    await show(page, "people", platformId, "fields");
    await page.locator("#origins").check();
    await expect.poll(() => page.locator("#person .request").count()).toBeGreaterThan(2);
    await inOrder(page, "console-desktop-origins");
    await show(page, "people", platformId, "consent");
    await expect.poll(() => page.locator("#person").innerText()).toContain("unchanged since written");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("button:visible, input:visible, select:visible").count()).toBe(0);
    await keepPrint(page, "console-person-consent");
  });

  /** A person who was named, merged and subscribed by separate requests. */
  async function mergedPerson(): Promise<string> {
    const id = fresh();
    await suite.track({ attributes: [{ external_id: id, first_name: "Ann", email: `${id}@example.com` }] });
    await suite.track({ attributes: [{ external_id: id, plan: "pro" }] });
    await suite.track({ attributes: [{ external_id: `${id}-2`, country: "DE" }] });
    await suite.merge(`${id}-2`, id);
    await suite.request("POST", "/subscription/status/set", {
      subscription_group_id: newsletter,
      subscription_state: "subscribed",
      external_id: [id],
    });
    return await idOfMerged(suite, id);
  }
});
