/** Where the checkers of the manifests come from: the Go module proxy and PyPI, built once and kept. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";

/** The release of Kubernetes whose schemas count. */
export const kubernetesVersion = "1.34";

const programs = {
  kustomize: "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  "kube-score": "github.com/zegl/kube-score/cmd/kube-score@v1.20.0",
  starlark: "go.starlark.net/cmd/starlark@v0.0.0-20260908191801-89a6a09411d5",
} as const;
const schemas = { name: "schemas", package: "kubernetes-validate==1.34.1" } as const;

export type ToolName = keyof typeof programs | typeof schemas.name;
export const toolNames = [...Object.keys(programs), schemas.name] as readonly ToolName[];

/** Builds or finds the tool; gives the path of the program, or of the folder of schemas. Rejects with what is missing. Safe to run twice at once. */
export async function provisionTool(name: ToolName): Promise<string> {
  return await (name === "schemas" ? findSchemas() : findProgram(name));
}

const buildMsMax = 10 * 60_000;
const run = promisify(execFile);

function folderOf(title: string): string {
  return join(resolve(env.HEDDLE_SERVERS_DIR ?? join(import.meta.dirname, "../../.cache/servers")), title);
}

async function findProgram(name: keyof typeof programs): Promise<string> {
  const source = programs[name];
  const folder = folderOf(`${name}-${source.slice(source.indexOf("@") + 1)}`);
  if (!existsSync(folder)) {
    const go = pathOf("go", ["/usr/local/go/bin/go"]);
    if (!go) throw new Error(`${name} is not built and Go is missing: install Go 1.24 or later (https://go.dev/dl)`);
    await build(folder, (target) =>
      run(go, ["install", "-trimpath", "-ldflags=-s -w", source], {
        cwd: target,
        timeout: buildMsMax,
        env: { ...env, GOBIN: target, CGO_ENABLED: "0" },
      }));
  }
  return join(folder, name);
}

/** As kubeconform takes them: a file for each kind, `deployment-apps-v1.json`, with nothing outside. */
async function findSchemas(): Promise<string> {
  const folder = folderOf(`schemas-${schemas.package.replaceAll(/[^\w.]+/g, "-")}`);
  if (existsSync(folder)) return folder;
  const python = pathOf("python3");
  if (!python) throw new Error("The schemas of Kubernetes are not fetched and Python is missing: install python3 with pip");
  await build(folder, async (target) => {
    const place = { cwd: target, timeout: buildMsMax };
    await run(
      python,
      ["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", "-d", target, schemas.package],
      place,
    );
    const wheel = readdirSync(target).find((name) => name.endsWith(".whl"));
    await run(python, ["-m", "zipfile", "-e", wheel ?? "", join(target, "wheel")], place);
    writeSchemas(join(target, `wheel/kubernetes_validate/kubernetes-json-schema/v${kubernetesVersion}.0-local-strict`), target);
    rmSync(join(target, "wheel"), { recursive: true });
  });
  return folder;
}

function writeSchemas(source: string, target: string): void {
  const { $defs: definitions } = JSON.parse(readFileSync(join(source, "_definitions.json"), "utf8")) as { $defs: Record<string, unknown> };
  for (const name of readdirSync(source).filter((name) => name.endsWith(".json") && name !== "_definitions.json" && name !== "all.json")) {
    const schema: unknown = JSON.parse(readFileSync(join(source, name), "utf8"));
    writeFileSync(join(target, name), JSON.stringify(inlined(schema, definitions, new Set())));
  }
}

/** References replaced by what they refer to; what contains itself may be anything inside. */
function inlined(value: unknown, definitions: Record<string, unknown>, within: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, definitions, within));
  if (typeof value !== "object" || value === null) return value;
  const reference = "$ref" in value ? value.$ref : undefined;
  if (typeof reference !== "string") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item, definitions, within)]));
  }
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return within.has(name) ? {} : inlined(definitions[name] ?? {}, definitions, new Set([...within, name]));
}

/** Fills a folder of its own and then moves it to its place, so that a half-built one is never seen. */
async function build(folder: string, fill: (target: string) => Promise<unknown>): Promise<void> {
  mkdirSync(resolve(folder, ".."), { recursive: true });
  const target = mkdtempSync(`${folder}-building-`);
  try {
    await fill(target);
    if (!existsSync(folder)) renameSync(target, folder);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

function pathOf(program: string, further: readonly string[] = []): string | undefined {
  const places = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "").map((folder) => join(folder, program));
  return [...places, ...further].find((path) => existsSync(path));
}
