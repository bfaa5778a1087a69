/** Answers that come late, in a tab that nobody sees, or cut short: the console does what was shown, and says what it does not know. */
import { describe, expect, test } from "vitest";
import { fresh } from "../suite.ts";
import { browserMissing } from "./browser.ts";
import { consoleSuite, inOrder, show } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite();

  test("a merge is of the people in the preview, also where another name was typed while it was under way", async () => {
    const id = fresh();
    const people = ["ann", "bob", "bobby"].map((name) => ({ external_id: `${name}-${id}`, first_name: name }));
    await suite.track({ attributes: people });
    const { page } = await signedIn();
    await page.locator("#name").fill(`ann-${id}`);
    await page.locator("#find button").click();
    await page.getByRole("link", { name: "Merges" }).click();
    const answered = Promise.withResolvers<void>();
    await page.route("**/users/merge/preview", async (route) => {
      await answered.promise;
      await route.continue();
    });
    const merges: unknown[] = [];
    await page.route("**/users/merge", (route) => {
      merges.push(route.request().postDataJSON());
      return route.continue();
    });
    const preview = page.getByRole("button", { name: "Preview" });
    await page.locator("#other").fill(`bob-${id}`);
    await preview.click();
    await page.locator("#other").fill(`bobby-${id}`);
    answered.resolve();
    await expect.poll(() => preview.isEnabled()).toBe(true);
    const merge = page.getByRole("button", { name: "Merge", exact: true });
    expect(await merge.count()).toBe(0);
    await preview.click();
    await expect.poll(() => page.locator("main").innerText()).toContain('"first_name": "bobby"');
    await merge.click();
    await page.getByText("The merge is under way").waitFor();
    expect(merges).toMatchObject([{ merge_updates: [{ identifier_to_merge: { external_id: `bobby-${id}` } }] }]);
  });

  test("a view that is opened in a tab in the background is there when somebody looks, and is renewed from then on", async () => {
    const { page } = await signedIn();
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
    await show(page, "keys");
    await expect.poll(() => page.locator("#keys").innerText()).toContain("Show revoked keys");
    let asked = 0;
    await page.route("**/console/lag", (route) => {
      asked += 1;
      return route.continue();
    });
    await page.clock.install();
    await show(page, "operations");
    await page.locator("#chart-lag-records").waitFor();
    await page.clock.runFor(60_000);
    expect(asked).toBe(1);
    await page.evaluate("delete document.hidden");
    await page.clock.runFor(20_000);
    await expect.poll(() => asked).toBeGreaterThan(1);
  });

  test("an answer that was cut short is an error, and of a key it is said that it may have been made", async () => {
    const { page } = await signedIn();
    await show(page, "keys");
    await page.locator("#keys table").waitFor();
    await page.route("**/console/keys", async (route) => {
      if (route.request().method() === "GET") return await route.continue();
      const body = await (await route.fetch()).text();
      return await route.fulfill({ status: 201, contentType: "application/json", body: body.slice(0, -20) });
    });
    const name = fresh("key");
    await page.locator("#make-key").click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("#key-name").fill(name);
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: "Make the key" }).click();
    await expect.poll(() => dialog.innerText()).toContain("cut short");
    expect(await dialog.innerText()).toContain("may have been made");
    await inOrder(page, "console-desktop-key-cut");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.locator("#keys").innerText()).toContain(name);
    await page.unroute("**/console/keys");
    await page.locator("#make-key").click();
    await dialog.locator("#key-name").fill(fresh("key"));
    await page.route("**/console/keys", (route) => route.fulfill({ status: 400, json: { message: "No such name" } }));
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: "Make the key" }).click();
    await expect.poll(() => dialog.innerText()).toContain("No such name");
    expect(await dialog.innerText()).not.toContain("may have been made");
  });

  test("a page of a proxy in place of an answer is an error, in a view and at the start", async () => {
    const { page } = await signedIn();
    await page.route("**/console/**", (route) => {
      const isAsset = route.request().url().includes("/assets/");
      return isAsset ? route.continue() : route.fulfill({ contentType: "text/html", body: "<h1>Sign in to Example</h1>" });
    });
    await show(page, "keys");
    await expect.poll(() => page.locator("#keys").innerText()).toContain("is not of Heddle");
    await page.reload();
    await expect.poll(() => page.locator("main").innerText()).toContain("is not of Heddle");
  });
});
