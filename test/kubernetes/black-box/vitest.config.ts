/** The black-box files that need nothing but HTTP, against a mesh that runs already. */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const root = resolve(import.meta.dirname, "../../..");
const files = [
  "users-",
  "bad-",
  "smuggling",
  "email-",
  "sms-",
  "subscription-status-get",
  "consent-access",
];
/** They end or start processes, ask for other settings, or look at the memory of a process. SCIM and keys declare names of their own. */
const left = ["users-merge-undo", "users-track-limits", "bad-input"];

export default defineConfig({
  root,
  resolve: { alias: [{ find: /^\.\.?\/heddle\.ts$/, replacement: resolve(import.meta.dirname, "heddle.ts") }] },
  test: {
    name: "black-box",
    include: [`test/http/{${files.join()}}*.test.ts`],
    exclude: left.map((name) => `test/http/${name}.test.ts`),
    pool: "forks",
    maxWorkers: 2,
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ["test/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
