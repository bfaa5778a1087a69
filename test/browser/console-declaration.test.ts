/** The declaration in the console: a key that was made by hand is shown as not declared, and how each key was used. */
import { describe, expect, test } from "vitest";
import { fresh } from "../suite.ts";
import { browserMissing } from "./browser.ts";
import { consoleSuite, inOrder, show } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite();

  test.each([["phone", 390, "light"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s a key that was made by hand is not declared, and its use is shown",
    async (device, width, scheme) => {
      const name = fresh("by-hand");
      const { body } = await suite.post("/console/keys", { name, permissions: ["users.track"] });
      const { secret } = body as unknown as { secret: string };
      const { page, seen } = await signedIn({ width, scheme });
      await show(page, "declaration");
      await expect.poll(() => page.locator("#declaration").innerText()).toContain(name);
      expect(await page.locator("#declaration tr", { hasText: name }).innerText()).toContain("not declared");
      await inOrder(page, `console-${device}-declaration`);
      await show(page, "keys");
      await expect.poll(() => page.locator("#keys tr", { hasText: name }).innerText()).toContain("no use known");
      await expect.poll(async () => (await suite.request("POST", "/users/track", {}, { key: secret })).status).toBe(400);
      const listed = async () => JSON.stringify((await suite.get("/console/keys")).body["keys"]);
      await expect.poll(async () =>
        (JSON.parse(await listed()) as { name: string; last_used_at?: string }[]).find((key) => key.name === name)
      )
        .toHaveProperty("last_used_at");
      await page.reload();
      await expect.poll(() => page.locator("#keys tr", { hasText: name }).innerText()).not.toContain("no use known");
      await inOrder(page, `console-${device}-keys-used`);
      expect(seen).toMatchObject({ dialogs: [], foreign: [] });
    },
  );
});
