/** What makes and runs clients in other languages: generators from the package registries of each, installed once and kept. */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";

/** Fills a folder of the cache under its name, once. */
export type BuildOnce = (name: string, fill: (target: string) => Promise<unknown>) => Promise<string>;

const examples = resolve(import.meta.dirname, "../../examples/clients");
const installMsMax = 10 * 60_000;
const run = promisify(execFile);

const goTools = {
  "oapi-codegen": "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2",
  "protoc-gen-go": "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
  "protoc-gen-go-grpc": "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0",
};

/** Go itself, and a folder with its generators. */
export async function findGoTools(go: string | undefined, buildOnce: BuildOnce): Promise<{ program: string; folder: string }> {
  if (go === undefined) throw new Error("Go is missing, for clients in Go: install Go 1.25 or later (https://go.dev/dl)");
  const folder = await buildOnce("go-clients-2.8.2-1.36.12-1.6.0", async (target) => {
    for (const tool of Object.values(goTools)) {
      await run(go, ["install", tool], { cwd: target, timeout: installMsMax, env: { ...env, GOBIN: target } });
    }
  });
  return { program: go, folder };
}

/** The Python of an environment that has examples/clients/python/requirements.txt. */
export async function findPythonTools(python: string | undefined, folder: string): Promise<{ program: string; folder: string }> {
  if (python === undefined) throw new Error("Python is missing, for clients in Python: apt-get install -y python3-venv");
  const program = join(folder, "bin/python3");
  // An environment knows its own place, so it is made there and marked when it is whole
  const whole = join(folder, "requirements.txt");
  if (existsSync(whole)) return { program, folder };
  await run(python, ["-m", "venv", "--clear", folder], { timeout: installMsMax });
  await run(program, ["-m", "pip", "install", "--quiet", "-r", join(examples, "python/requirements.txt")], { timeout: installMsMax });
  copyFileSync(join(examples, "python/requirements.txt"), whole);
  return { program, folder };
}

/** The folder whose node_modules has openapi-typescript, openapi-fetch and the TypeScript that people have. */
export async function findTypeScriptTools(buildOnce: BuildOnce): Promise<{ program: string; folder: string }> {
  const folder = await buildOnce("typescript-clients-7.13.0", async (target) => {
    copyFileSync(join(examples, "typescript/package.json"), join(target, "package.json"));
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: target, timeout: installMsMax });
  });
  return { program: execPath, folder };
}
