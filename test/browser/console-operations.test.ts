/** Operations in a browser: what waits for a human is shown with its error, skipped and tried again, by keyboard alone too. */
import { describe, expect, test } from "vitest";
import { consentDeclaration } from "../consent.ts";
import { testShape } from "../heddle.ts";
import { fresh, freshEmail } from "../suite.ts";
import { sendUnread, unreadPart } from "../unread-consent.ts";
import { positionFromToken } from "../../platform/intake/position.ts";
import { browserMissing } from "./browser.ts";
import { consoleSuite, inOrder, pressByKeyboard, show } from "./console-page.ts";

describe.skipIf(browserMissing)("in Chromium", () => {
  const { suite, signedIn } = consoleSuite({
    apply: consentDeclaration.replaceAll('"console.operate"]', '"console.operate", "console.bodies"]'),
  });

  /** A dead letter of a new person; its place. */
  async function deadLetter(): Promise<{ at: string; email: string }> {
    const email = freshEmail();
    const { headers } = await suite.track({ attributes: [{ external_id: fresh(), email }] });
    const sequence = positionFromToken(headers.get("x-heddle-position") ?? "")?.sequence ?? 0;
    const { body } = await suite.get("/console/overview");
    const workspaceId = String((body["workspace"] as { id: string }).id);
    await sendUnread(suite.heddle, { lane: "messaging-status", workspaceId, key: email, groupId: "", sequence });
    return { at: `${sequence}.${unreadPart}`, email };
  }

  test.each([["phone", 390, "light"], ["desktop", 1_280, "dark"]] as const)(
    "on a %s a dead letter is shown with its error, and skipped by keyboard alone",
    async (device, width, scheme) => {
      const { page } = await signedIn({ width });
      await page.emulateMedia({ colorScheme: scheme });
      await show(page, "operations");
      await expect.poll(() => page.locator("#waiting").innerText()).toContain("There are no dead letters");
      const { at, email } = await deadLetter();
      await expect.poll(() => page.locator("#waiting").innerText(), { timeout: 20_000 }).toContain(at);
      for (const text of [email, "messaging-status"]) expect(await page.locator("#waiting").innerText()).toContain(text);
      await expect.poll(() => page.locator("#state .state").getAttribute("class")).toBe("state warn");
      expect(await page.locator("#state .state").innerText()).toBe("Ready, and 1 waits for a human: 0 blocked users, 1 dead letter");
      await inOrder(page, `console-${device}-waiting`);
      await pressByKeyboard(page, `Show the record at ${at}`);
      await expect.poll(() => page.locator("#waiting .below").innerText()).toContain(`"address": "${email}"`);
      await inOrder(page, `console-${device}-waiting-record`);
      await pressByKeyboard(page, `Hide the record at ${at}`);
      await expect.poll(() => page.locator("#waiting .below").count()).toBe(0);
      await show(page, "home");
      await page.locator("#state .state.warn").waitFor();
      await pressByKeyboard(page, "Show what waits (1)");
      await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("What waits for a human");
      await pressByKeyboard(page, `Skip the record at ${at}`);
      await page.getByRole("dialog").waitFor();
      await inOrder(page, `console-${device}-waiting-skip`);
      await pressByKeyboard(page, "Skip for good");
      await expect.poll(() => page.locator("#waiting").innerText()).toContain("There are no dead letters");
      await page.locator("#state .state.good").waitFor();
      expect(await page.locator(".notice.good").innerText()).toContain(at);
      await show(page, "actions");
      await expect.poll(() => page.locator("#actions").innerText()).toContain("/console/log/skip");
      expect(await page.locator("#actions").innerText()).toContain("/console/log/records");
    },
  );

  test("it is said where more may wait than is listed", async () => {
    const { page } = await signedIn();
    await page.route("**/console/log", (route) => {
      return route.fulfill({
        json: { blocked_users: [], dead_letters: [{ partition: 0, at: "1", reason: "unread" }], away: [], more: true },
      });
    });
    await show(page, "operations");
    await expect.poll(() => page.locator("#waiting").innerText()).toContain("More may wait");
    await inOrder(page, "console-desktop-waiting-more");
  });

  test("lag is drawn over time, each lane by itself, and as a table", async () => {
    const { page } = await signedIn();
    await suite.track({ attributes: [{ external_id: fresh(), color: "red" }] });
    await show(page, "operations");
    await expect.poll(() => page.locator("#chart-lag-seconds .legend").innerText()).toContain("messaging-status");
    expect(await page.locator("#chart-lag-records .legend").innerText()).toContain("intake-0");
    // A mouse may miss it: while lanes come into the legends, what is below moves
    await page.locator("#chart-lag-seconds summary").press("Enter");
    await page.locator("#chart-lag-seconds table").waitFor();
    await inOrder(page, "console-desktop-lag");
  });

  test("lag of more than three hours ago is forgotten, and so is a lane without any since", async () => {
    const { page } = await signedIn();
    await page.clock.install();
    let lane = "intake-0";
    await page.route("**/console/lag", async (route) => {
      const time = await page.evaluate<number>("Math.floor(Date.now() / 60_000) * 60");
      await route.fulfill({
        json: { step_seconds: 60, lanes: [{ lane, samples: [[time, lane === "intake-0" ? 50_000 : 3, 1]] }], away: [] },
      });
    });
    await show(page, "operations");
    const legend = page.locator("#chart-lag-records .legend");
    await expect.poll(() => legend.innerText()).toContain("50,000");
    lane = "profile-0";
    await page.clock.fastForward("01:00:00");
    await expect.poll(() => legend.innerText()).toContain("profile-0");
    expect(await legend.innerText()).toContain("50,000");
    await page.clock.fastForward("02:30:00");
    await expect.poll(() => legend.innerText()).not.toContain("intake-0");
    expect(await legend.innerText()).toContain("profile-0");
  });

  test("doctor's findings are shown with their levels, and looked at again by a button", async () => {
    const { page } = await signedIn();
    await show(page, "operations");
    await expect.poll(() => page.locator("#doctor").innerText()).toContain("runtime");
    expect(await page.locator("#doctor .state.good").count()).toBeGreaterThan(1);
    await page.locator("#doctor button").click();
    await page.locator("#doctor .state.good").first().waitFor();
    await inOrder(page, "console-desktop-doctor");
  });

  test("the processes are listed with their build and runtime; where the server does not answer they are dimmed and dated", async () => {
    const { page } = await signedIn();
    await show(page, "operations");
    const listed = page.locator("#processes");
    await expect.poll(() => listed.innerText()).toMatch(testShape === "mesh" ? /messaging-status[^]*profile/ : /heddle/);
    expect(await listed.innerText()).toMatch(/(Node|Deno) \d+[.]/);
    expect(await listed.locator(".state.good").count()).toBeGreaterThan(0);
    await inOrder(page, "console-desktop-processes");
    await page.route("**/console/processes", (route) => route.abort());
    await listed.locator("div.stale").waitFor({ timeout: 30_000 });
    expect(await listed.locator("[role=alert] time").count()).toBe(1);
  });

  test("everything is tried once more after a question", async () => {
    const { page } = await signedIn();
    const { at } = await deadLetter();
    await show(page, "operations");
    await expect.poll(() => page.locator("#waiting").innerText(), { timeout: 20_000 }).toContain(at);
    await page.locator("#redrive").click();
    await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.locator(".notice.good").innerText()).toContain("Tried once more");
  });
});
