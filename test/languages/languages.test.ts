/**
 * Clients in other languages as docs/clients.md has them made: from /openapi.json by the generators people use, with their defaults, and from
 * proto/ by buf. Each is built, and sends, reads and is refused by a real server.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleOf } from "../../gateway/documents/samples.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { demoKey, repository } from "../heddle.ts";
import { provision } from "../servers/provision.ts";
import { describeWith } from "../servers/require.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "heddle-languages-"));
const declaration = readFileSync(join(repository, "examples/demo.yaml"), "utf8")
  .replace('permissions: ["*"] }', `permissions: ["*", "console.bodies", "console.operate"], secret: ${demoKey} }`);
const suite = heddleSuite({ apply: declaration, env: { HEDDLE_RPC_PORT: "0" } });
let document = "";

beforeAll(async () => {
  cpSync(join(repository, "examples"), folder, { recursive: true });
  document = join(folder, "openapi.json");
  writeFileSync(document, await (await fetch(`${suite.heddle.url}/openapi.json`)).text());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of an example's folder; `paths` come before PATH. */
async function example(place: string, [program = "", ...args]: readonly string[], paths: readonly string[] = []): Promise<string> {
  const { stdout } = await run(program, args, {
    cwd: join(folder, place),
    env: {
      ...env,
      PATH: [...paths, join(repository, "node_modules/.bin"), env["PATH"]].join(delimiter),
      NO_COLOR: "1",
      GOFLAGS: "-trimpath",
    },
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

/** What every caller over HTTP prints. */
async function mustTalk(place: string, command: readonly string[], paths: readonly string[] = []): Promise<void> {
  const id = fresh();
  const printed = await example(place, [...command, suite.heddle.url, demoKey, id], paths);
  expect(JSON.parse(printed)).toEqual({
    processed: [1, 1, 1],
    name: "Ann",
    revenue: 11.77,
    status: id,
    refused: [400, "NOTHING_VALID", expect.stringMatching(/./)],
  });
}

/** What every caller over gRPC prints. */
async function mustReport(place: string, command: readonly string[], paths: readonly string[] = []): Promise<void> {
  const { workspace } = (await suite.get("/console/overview")).body as unknown as { workspace: { id: string } };
  const address = /RPCs are served on http:\/\/([\d.:]+)/.exec(suite.heddle.output())?.[1] ?? "";
  const { rejected, refused } = JSON.parse(await example(place, [...command, address, workspace.id, freshEmail()], paths)) as {
    rejected: boolean;
    refused: readonly string[];
  };
  expect([rejected, refused[0]?.replace("_", "").toUpperCase(), refused[1]]).toEqual([true, "NOTFOUND", "NOT_FOUND"]);
}

async function placeOf(language: "go" | "python" | "typescript"): Promise<{ program: string; folder: string }> {
  const { found } = await provision(language);
  return { program: found?.program ?? "", folder: found?.folder ?? "" };
}

/** The documented template with the plugins of one language. */
function templateOf(wanted: (plugin: string) => boolean): string {
  const [head = "", ...plugins] = readFileSync(join(folder, "grpc/buf.gen.yaml"), "utf8").split(/^(?=  - )/m);
  const file = join(folder, "grpc", `${fresh("buf")}.yaml`);
  writeFileSync(file, [head, ...plugins.filter(wanted)].join(""));
  return file;
}

const pasted = ["POST /users/track", "POST /users/export/ids", "GET /subscription/user/status"];

/** What the page of a call shows. */
function samplesIn(language: "Python" | "Go", wanted: (name: string) => boolean): readonly string[] {
  return routeTable.filter((route) => wanted(`${route.method} ${route.path}`)).flatMap((route) => sampleOf(language, route) ?? []);
}

await describeWith(["typescript"], "openapi-typescript", () => {
  test("the types compile the README's first call, and openapi-fetch sends it", async () => {
    const tools = await placeOf("typescript");
    symlinkSync(join(tools.folder, "node_modules"), join(folder, "clients/typescript/node_modules"));
    const bin = join(tools.folder, "node_modules/.bin");
    await example("clients/typescript", [join(bin, "openapi-typescript"), document, "-o", "heddle.d.ts"]);
    symlinkSync(join(repository, "node_modules/@types"), join(folder, "types"));
    const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "esnext", "--module", "nodenext", "--typeRoots"];
    await example("clients/typescript", [
      join(bin, "tsc"),
      ...strict,
      join(folder, "types"),
      "--types",
      "node",
      "--allowImportingTsExtensions",
      "call.ts",
    ]);
    await mustTalk("clients/typescript", [execPath, "call.ts"]);
  });
});

await describeWith(["python"], "Python", () => {
  test("openapi-python-client makes a client of every operation, which sends, reads and is refused", async () => {
    const { program, folder: tools } = await placeOf("python");
    const made = await example("clients/python", [
      // Not its script, whose first line names the folder it was installed in
      program,
      "-m",
      "openapi_python_client",
      "generate",
      "--path",
      document,
      "--output-path",
      "heddle-client",
      "--fail-on-warning",
    ], [join(tools, "bin")]);
    expect(made).not.toMatch(/WARNING|ERROR/i);
    await mustTalk("clients/python", ["env", "PYTHONPATH=heddle-client", program, "call.py"]);
  });

  test("requests of the pages of calls are Python, and the first ones succeed as they are pasted", async () => {
    const { program } = await placeOf("python");
    const every = join(folder, "samples.json");
    writeFileSync(every, JSON.stringify(samplesIn("Python", () => true)));
    await example("clients", [
      program,
      "-c",
      `import json; [compile(s, "sample", "exec") for s in json.load(open(${JSON.stringify(every)}))]`,
    ]);
    for (const sample of samplesIn("Python", (name) => pasted.includes(name))) {
      const printed = await example("clients", [
        program,
        "-c",
        `URL = ${JSON.stringify(suite.heddle.url)}; KEY = ${JSON.stringify(demoKey)}\n${sample}`,
      ]);
      expect(printed).toMatch(/^20[01] \{/);
    }
  });

  test("buf makes messages for Python, with which a sender reports over gRPC", async () => {
    const { program, folder: tools } = await placeOf("python");
    const template = templateOf((plugin) => plugin.includes("protoc_builtin"));
    const input = [join(repository, "proto"), "--path", join(repository, "proto/heddle")];
    await example("grpc", ["buf", "generate", ...input, "--template", template], [join(tools, "bin")]);
    await mustReport("grpc/python", [program, "call.py"]);
  });
});

await describeWith(["go"], "Go", () => {
  test("oapi-codegen makes a client of every operation, which sends, reads and is refused", async () => {
    const { program, folder: tools } = await placeOf("go");
    const generated = await example("clients/go", [
      join(tools, "oapi-codegen"),
      "-generate",
      "types,client",
      "-package",
      "heddle",
      document,
    ]);
    await example("clients/go", ["mkdir", "-p", "heddle"]);
    writeFileSync(join(folder, "clients/go/heddle/heddle.go"), generated);
    await mustTalk("clients/go", [program, "run", "."]);
  });

  test("requests of the pages of calls are Go, and the first ones succeed as they are pasted", async () => {
    const { program } = await placeOf("go");
    const all = samplesIn("Go", () => true);
    const first = samplesIn("Go", (name) => pasted.includes(name));
    const bodies = [...first, ...all].map((sample, at) =>
      `func call${at}(url, key string) {\n_ = key\n${sample}\nif err != nil { log.Fatal(err) }\nfmt.Println(answer.StatusCode)\n}`
    );
    const calls = first.map((_, at) => `call${at}(os.Args[1], os.Args[2])`).join("\n");
    const imports = '"fmt"\n"log"\n"net/http"\n"os"\n"strings"';
    await example("clients", ["mkdir", "-p", "samples"]);
    writeFileSync(
      join(folder, "clients/samples/main.go"),
      `package main\nimport (\n${imports}\n)\nfunc main() {\n${calls}\n}\n${bodies.join("\n")}\n`,
    );
    expect(await example("clients/samples", [program, "run", "main.go", suite.heddle.url, demoKey])).toBe("201\n201\n200\n");
  });

  test("buf makes callers for Go, with which a sender reports over gRPC", async () => {
    const { program, folder: tools } = await placeOf("go");
    const template = templateOf((plugin) => plugin.includes("protoc-gen-go"));
    const input = [join(repository, "proto"), "--path", join(repository, "proto/heddle")];
    await example("grpc", ["buf", "generate", ...input, "--template", template], [tools]);
    await mustReport("grpc/go", [program, "run", "."]);
  });
});
