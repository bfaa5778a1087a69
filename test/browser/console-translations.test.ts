/** The translation matrix in the console: what is missing is marked, and can be shown alone. */
import { describe, expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { ids, translationDeclaration } from "../translations.ts";
import { browserMissing } from "./browser.ts";
import { consoleSuite, inOrder, show } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite({ apply: translationDeclaration(demoKey) });

  test.each([["phone", 390, "light"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s missing texts are marked by language, and shown alone by keyboard",
    async (device, width, scheme) => {
      await suite.request("PUT", "/canvas/translations", {
        workflow_id: ids.canvas,
        step_id: ids.step,
        message_variation_id: ids.stepEmail,
        locale_id: ids.spanish,
        translation_map: { id_0: "Paso" },
      });
      const { page, seen } = await signedIn({ width, scheme });
      await show(page, "translations");
      await expect.poll(() => page.locator("#missing").innerText()).toContain("es-MX");
      expect(await page.locator(".message", { hasText: "Journey" }).innerText()).toContain("translated");
      expect(await page.locator(".message", { hasText: "Welcome / A" }).locator(".state.bad").count()).toBe(4);
      await inOrder(page, `console-${device}-translations`);
      await page.locator("#missing input").focus();
      await page.keyboard.press("Space");
      await expect.poll(() => page.locator(".message", { hasText: "Journey" }).count()).toBe(0);
      expect(seen).toMatchObject({ dialogs: [], foreign: [] });
    },
  );
});
