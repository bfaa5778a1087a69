/** A headless Chromium for tests of pages: HEDDLE_CHROMIUM, or the system's. */
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { env } from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const program = [env["HEDDLE_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path !== undefined && path !== "" && existsSync(path));

/** Undefined where there is no browser and none is required (HEDDLE_REQUIRE_SERVERS). */
export const browserMissing = program === undefined && env["HEDDLE_REQUIRE_SERVERS"] !== "1";

export interface Opened {
  readonly page: Page;
  /** What scripts left behind, what was asked of other hosts, and what the browser complained of. */
  readonly seen: { readonly dialogs: string[]; readonly foreign: string[]; readonly console: string[] };
}

/** One browser for a file; each page has a context of its own, with nothing of the others. */
export function browserSuite(): { open(url: string, width?: number): Promise<Opened> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (program === undefined) throw new Error("There is no Chromium: install it, or name it with HEDDLE_CHROMIUM");
    // In containers there are no user namespaces for its sandbox; what it opens is ours
    browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
  });
  afterAll(() => browser?.close());
  return {
    async open(url, width = 1_280) {
      if (browser === undefined) throw new Error("The browser did not start");
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        ...(width < 500 ? { isMobile: true, hasTouch: true } : {}),
      });
      const page = await context.newPage();
      const seen = { dialogs: [] as string[], foreign: [] as string[], console: [] as string[] };
      const { origin } = new URL(url);
      page.on("dialog", (dialog) => {
        seen.dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      page.on("console", (message) => seen.console.push(message.text()));
      // Nothing leaves the machine; what a page tries to load is noted
      await context.route((asked) => asked.origin !== origin && asked.protocol !== "data:", (route) => {
        seen.foreign.push(route.request().url());
        return route.abort();
      });
      await page.goto(url);
      return { page, seen };
    },
  };
}

/** What comes out of a printer, kept for people to look at. */
export async function keepPrint(page: Page, name: string): Promise<void> {
  const folder = resolve(import.meta.dirname, "../artifacts");
  mkdirSync(folder, { recursive: true });
  await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
}

/** A picture kept for people to look at, outside of git. */
export async function keepPicture(page: Page, name: string, { whole = true }: { readonly whole?: boolean } = {}): Promise<void> {
  const folder = resolve(import.meta.dirname, "../artifacts");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole });
}
