/** The black-box files against a mesh that runs already: what starts a server declares companies there instead. */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { alias } from "./alias.ts";
import { leftNow } from "./left.ts";
import { NotRun } from "./reporter.ts";

const root = resolve(import.meta.dirname, "../../..");
const here = import.meta.dirname;
export default defineConfig({
  root,
  resolve: { alias },
  test: {
    name: "black-box",
    include: ["test/http/*.test.ts"],
    exclude: Object.keys(leftNow).map((name) => `test/http/${name}.test.ts`),
    pool: "forks",
    maxWorkers: 2,
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ["test/seed.ts", resolve(here, "setup.ts")],
    reporters: ["default", new NotRun()],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
