/** Foreign clients: @grpc/grpc-js against a served part, each on Node and on Deno with no more rights than they need. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const binaries = join(root, "node_modules/.bin");
const least = [
  "run",
  "--no-prompt",
  "--node-modules-dir=manual",
  `--allow-read=${root}`,
  "--allow-net=127.0.0.1",
  "--allow-sys=hostname",
  "--ignore-env",
];
const runtimes = { node: [join(binaries, "node")], deno: [join(binaries, "deno"), ...least] } as const;

const started: ChildProcessWithoutNullStreams[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
  }
});

function start(runtime: keyof typeof runtimes, script: string, ...args: string[]): Promise<string> {
  const [program, ...given] = runtimes[runtime];
  const child = spawn(program, [...given, join(import.meta.dirname, script), ...args], { cwd: root });
  started.push(child);
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  return new Promise((done, fail) => {
    createInterface(child.stdout).once("line", done);
    child.once("exit", (code) => fail(new Error(`${runtime} ${script} ended with ${code}: ${errors}`)));
  });
}

for (const server of ["node", "deno"] as const) {
  for (const client of ["node", "deno"] as const) {
    describe(`grpc-js on ${client}, served on ${server}`, () => {
      test("calls, refusals, deadlines, health and reflection", { timeout: 60_000 }, async () => {
        const port = await start(server, "foreign-server.fixture.ts");
        const saw = JSON.parse(await start(client, "foreign-client.fixture.ts", port));
        expect(saw).toMatchObject({
          unary: { position: "p-ws", attributesProcessed: 1 },
          refused: { code: 3, details: "Nichts gültig", reason: "NOTHING_VALID" },
          refusedWithMany: { code: 3, reason: "NOTHING_VALID" },
          failed: { code: 13, details: "", faultId: "string" },
          waited: { code: 4 },
          nameless: { code: 7, reason: "CALLER_NOT_ALLOWED" },
          tooLarge: { code: 8 },
          missing: { code: 12, reason: "NOT_IMPLEMENTED" },
          health: { status: 1 },
          healthOfUnknown: { code: 5, reason: "NOT_FOUND" },
          watched: 1,
          reflected: [
            [
              "heddle.profile.v1.ProfileService",
              "heddle.rpc.v1.SharedCallService",
              "grpc.health.v1.Health",
              "grpc.reflection.v1.ServerReflection",
            ],
            expect.arrayContaining(["heddle/profile/v1/profile_service.proto", "heddle/intake/v1/intake.proto"]),
            5,
          ],
        });
        expect(JSON.stringify(saw)).not.toMatch(/secret|at file:|\.ts:\d/);
        expect(saw.waitedMs).toBeLessThan(1_000);
      });
    });
  }
}
