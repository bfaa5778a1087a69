/** The live view in a browser: requests appear as they are answered, are held still, filtered, and lead to the person. */
import { describe, expect, test } from "vitest";
import { apiKey, declared } from "../declaration.ts";
import { fresh } from "../suite.ts";
import { browserMissing, type Opened } from "./browser.ts";
import { consoleSuite, inOrder, show } from "./console-page.ts";

const viewer = "a-key-that-may-only-look";
const trusted = "a-key-that-may-see-bodies";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite({
    apply: declared({
      keys: [apiKey("viewer", viewer, ["console.view"]), apiKey("trusted", trusted, ["console.view", "console.bodies"])],
    }),
  });

  async function watching(key: string, width = 1_280): Promise<Opened> {
    const opened = await signedIn({ key, width });
    await show(opened.page, "live");
    await opened.page.locator("#live").waitFor();
    return opened;
  }

  async function send(body: object, requestId: string): Promise<void> {
    await suite.request("POST", "/users/track", body, { headers: { "x-request-id": requestId } });
  }

  test.each([["phone", 390, "light"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s requests appear with their verdicts, are held still by keyboard, and one has an address",
    async (device, width, scheme) => {
      const id = fresh();
      const { page, seen } = await watching(viewer, width);
      await page.emulateMedia({ colorScheme: scheme });
      await inOrder(page, `console-${device}-live-empty`);
      await send({ events: [{ external_id: id, name: `visited-${id}`, time: "2026-01-02T03:04:05Z" }] }, `good-${id}`);
      await expect.poll(() => page.locator("#live").innerText()).toContain(`visited-${id}`);
      await send({ events: [{ external_id: id, name: "late", time: "never" }] }, `bad-${id}`);
      await expect.poll(() => page.locator(`#live a[href$="bad-${id}"]`).count()).toBe(1);
      expect(await page.locator("#live").innerText()).toContain("NOTHING_VALID");
      await page.keyboard.press("Alt+p");
      await expect.poll(() => page.locator("#pause").getAttribute("aria-pressed")).toBe("true");
      await send({ events: [{ external_id: id, name: `paused-${id}`, time: "2026-01-02T03:04:05Z" }] }, `paused-${id}`);
      await expect.poll(() => page.locator("main").innerText()).toContain("1 more since it was paused");
      expect(await page.locator("#live").innerText()).not.toContain(`paused-${id}`);
      await page.keyboard.press("Alt+p");
      await expect.poll(() => page.locator("#live").innerText()).toContain(`paused-${id}`);
      await show(page, "live", `bad-${id}`);
      await expect.poll(() => page.locator("#one").innerText()).toContain("'time' is not a valid date");
      await inOrder(page, `console-${device}-live`);
      expect(await page.locator("main").innerText()).not.toContain(`"${id}"`);
      expect(await page.locator("#bodies").count()).toBe(0);
      // The address is good after a reload, while the request is among the last
      await page.reload();
      await expect.poll(() => page.locator("#one").innerText()).toContain("refused");
      await show(page, "live", "nobody-sent-this");
      await expect.poll(() => page.locator("#one").innerText()).toContain("no longer in the live view");
      expect(seen).toMatchObject({ dialogs: [], foreign: [] });
    },
  );

  test("filters show what they name, and are there after a reload", async () => {
    const id = fresh();
    const { page } = await watching(viewer);
    await page.locator("#filters input[name=event]").fill(`wanted-${id}`);
    await page.locator("#filters button[type=submit]").click();
    await expect.poll(() => page.locator("#live").innerText()).toContain("No request that the filters let through yet");
    for (const name of ["other", "wanted"]) {
      await send({ events: [{ external_id: id, name: `${name}-${id}`, time: "2026-01-02T03:04:05Z" }] }, `${name}-${id}`);
    }
    await expect.poll(() => page.locator("#live").innerText()).toContain(`wanted-${id}`);
    expect(await page.locator("#live").innerText()).not.toContain(`other-${id}`);
    await page.reload();
    await expect.poll(() => page.locator("#live").innerText()).toContain(`wanted-${id}`);
    expect(await page.locator("#filters input[name=event]").inputValue()).toBe(`wanted-${id}`);
    await page.locator("#clear").click();
    await expect.poll(() => page.locator("#live").innerText()).toContain(`other-${id}`);
  });

  test("a key that may see bodies asks for them, and one click leads to the person", async () => {
    const id = fresh();
    const { page } = await watching(trusted);
    await page.locator("#bodies").check();
    // The stream with bodies has taken the place of the one without
    await expect.poll(async () => {
      await send({ attributes: [{ external_id: id, first_name: "<b>Ann</b>" }] }, `named-${id}`);
      return await page.locator("#live").innerText();
    }).toContain(id);
    await show(page, "live", `named-${id}`);
    await expect.poll(() => page.locator("#one pre").first().innerText()).toContain("<b>Ann</b>");
    await inOrder(page, "console-desktop-live-bodies");
    await page.locator("#one").getByRole("button", { name: "Show the person" }).first().click();
    await expect.poll(() => page.locator("h1").innerText()).toContain("<b>Ann</b>");
  });

  test("what another gateway shows once more after a reconnect stands there once", async () => {
    const { page } = await watching(viewer);
    const request = { request_id: "asked-twice", gateway: "gw_a", method: "POST", route: "/users/track", status: 201, ms: 1, objects: [] };
    let lives = 0;
    await page.route("**/console/live?*", (route) => {
      lives += 1;
      // Whoever repeats a request may give it the same id
      const rows = [0, lives].map((second) => ({ ...request, time: `2026-01-02T03:04:0${second}Z` }));
      const events = [["open", { gateway: `gw_${lives}`, missed: lives > 1 }], ...rows.map((data) => ["request", data])];
      const text = events.map(([name, data], at) => `id: ${lives}.${at}\nevent: ${String(name)}\ndata: ${JSON.stringify(data)}\n\n`);
      return route.fulfill({ contentType: "text/event-stream", body: text.join("") });
    });
    await page.reload();
    const shown = () => page.locator("#live time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(2);
    const times = await shown();
    expect(times).toHaveLength(new Set(times).size);
  });

  test("it is over with its key", async () => {
    const { page } = await watching(viewer);
    const other = await watching(viewer);
    await show(other.page, "session");
    await other.page.locator("#leave-all").click();
    await page.locator("#enter").waitFor();
    await expect.poll(() => page.locator(".notice").innerText()).toContain("Sign in again");
  });
});
