/** The bare server beside the one under test, on the same runtime: the floor that costs are compared with. */
import { join } from "node:path";
import { execPath } from "node:process";
import { afterAll, beforeAll } from "vitest";
import { repository, testRuntime } from "./heddle.ts";
import { type HeddleProcess, launchHeddle } from "./heddle-process.ts";

/** Started before the file's tests, where it is wanted, and stopped after them. */
export function bareSuite(wanted: boolean): { readonly pid: number; readonly url: string } {
  let server: HeddleProcess | undefined;
  beforeAll(async () => {
    if (!wanted) return;
    const script = join(repository, "test/bare-server.ts");
    const [program, args] = testRuntime === "deno" ? ["deno", ["run", "-A", script]] : [execPath, [script]];
    server = await launchHeddle({ program, args, folder: repository, env: {} });
  });
  afterAll(async () => {
    server?.kill("SIGTERM");
    await server?.ended;
  });
  return {
    get pid() {
      return server?.pid ?? 0;
    },
    get url() {
      return server?.url ?? "";
    },
  };
}
