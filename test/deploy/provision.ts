/** Where the checkers of the manifests come from: the Go module proxy and PyPI, built once and kept. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { parse } from "yaml";
import { build, pathOf } from "../servers/provision.ts";

/** The releases of Kubernetes whose schemas count: the lowest that works, and the newest that was tried. */
export const kubernetesVersions = ["1.30", "1.34"] as const;

const programs = {
  kustomize: "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  "kube-score": "github.com/zegl/kube-score/cmd/kube-score@v1.20.0",
  // How Docker Compose itself reads a file
  compose: "github.com/compose-spec/compose-go/v2/cmd@v2.16.2",
  starlark: "go.starlark.net/cmd/starlark@v0.0.0-20260908191801-89a6a09411d5",
} as const;
/** Its module replaces others, so `go install` refuses it: it is built as what a module of ours needs. Without service discovery and pages. */
const prometheus = { module: "github.com/prometheus/prometheus", version: "v0.313.5", tags: "remove_all_sd,netgo" } as const;
const ofPrometheus = ["prometheus", "promtool"] as const;
const schemas = { name: "schemas", package: "kubernetes-validate==1.34.1" } as const;
/** Kinds that come with other software, and the files that define them there. */
const foreign = {
  "github.com/prometheus-operator/prometheus-operator@v0.85.0": [
    "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
    "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
  ],
  "github.com/fluxcd/kustomize-controller@v1.7.3": ["config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml"],
  "github.com/fluxcd/source-controller@v1.7.0": ["config/crd/bases/source.toolkit.fluxcd.io_gitrepositories.yaml"],
  "github.com/argoproj/argo-cd/v3@v3.2.0": ["manifests/crds/application-crd.yaml"],
} as const;

export type ToolName = keyof typeof programs | (typeof ofPrometheus)[number] | typeof schemas.name;
export const toolNames = [...Object.keys(programs), ...ofPrometheus, schemas.name] as readonly ToolName[];

/** Builds or finds the tool; gives the path of the program, or of the folder of schemas. Rejects with what is missing. Safe to run twice at once. */
export async function provisionTool(name: ToolName): Promise<string> {
  if (name === "schemas") return await findSchemas();
  return await (name === "prometheus" || name === "promtool" ? findPrometheus(name) : findProgram(name));
}

/** What kubeconform asks for the schemas of a release, and of kinds that come with other software. */
export async function schemaLocations(version: (typeof kubernetesVersions)[number]): Promise<string[]> {
  const folder = await provisionTool("schemas");
  return [version, "foreign"].flatMap((part) => ["-schema-location", `${folder}/${part}/{{.ResourceKind}}{{.KindSuffix}}.json`]);
}

/** Prometheus takes seven minutes of CPU. */
const buildMsMax = 40 * 60_000;
const run = promisify(execFile);

function folderOf(title: string): string {
  return join(resolve(env.HEDDLE_SERVERS_DIR ?? join(import.meta.dirname, "../../.cache/servers")), title);
}

async function findProgram(name: keyof typeof programs): Promise<string> {
  const source = programs[name];
  const folder = folderOf(`${name}-${source.slice(source.indexOf("@") + 1)}`);
  if (!existsSync(folder)) {
    const go = goOr(name);
    await build(folder, (target) =>
      run(go, ["install", "-trimpath", "-ldflags=-s -w", source], {
        cwd: target,
        timeout: buildMsMax,
        env: { ...env, GOBIN: target, CGO_ENABLED: "0" },
      }));
  }
  return join(folder, basename(source.slice(0, source.indexOf("@")).replace(/\/v\d+$/, "")));
}

async function findPrometheus(name: (typeof ofPrometheus)[number]): Promise<string> {
  const { module, version, tags } = prometheus;
  const folder = folderOf(`prometheus-${version}`);
  if (!existsSync(folder)) {
    const go = goOr(name);
    await build(folder, async (target) => {
      writeFileSync(join(target, "go.mod"), `module heddle.test/prometheus\n\ngo 1.26.0\n\nrequire ${module} ${version}\n`);
      const commands = ofPrometheus.map((command) => `${module}/cmd/${command}`);
      const options = ["-mod=mod", "-trimpath", "-ldflags=-s -w", `-tags=${tags}`, "-o", target];
      await run(go, ["build", ...options, ...commands], { cwd: target, timeout: buildMsMax });
    });
  }
  return join(folder, name);
}

function goOr(what: string): string {
  const go = pathOf("go", ["/usr/local/go/bin/go"]);
  if (!go) throw new Error(`${what}: not built, and Go is missing: install Go 1.26 or later (https://go.dev/dl)`);
  return go;
}

/** As kubeconform takes them: a file for each kind, `deployment-apps-v1.json`, with nothing outside. */
async function findSchemas(): Promise<string> {
  const folder = folderOf(`schemas-${[schemas.package, ...kubernetesVersions, "foreign"].join("-").replaceAll(/[^\w.]+/g, "-")}`);
  if (existsSync(folder)) return folder;
  const go = goOr("The schemas of kinds of other software");
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
    for (const version of kubernetesVersions) {
      const source = join(target, `wheel/kubernetes_validate/kubernetes-json-schema/v${version}.0-local-strict`);
      writeSchemas(source, join(target, version));
    }
    rmSync(join(target, "wheel"), { recursive: true });
    mkdirSync(join(target, "foreign"));
    for (const [module, files] of Object.entries(foreign)) {
      const { stdout } = await run(go, ["mod", "download", "-json", module], { ...place, maxBuffer: 1024 * 1024 });
      const { Dir } = JSON.parse(stdout) as { Dir: string };
      for (const file of files) writeForeign(readFileSync(join(Dir, file), "utf8"), join(target, "foreign"));
    }
  });
  return folder;
}

/** A file for each version of a kind, `prometheusrule-monitoring-v1.json`. */
function writeForeign(text: string, target: string): void {
  const { spec: { group, names: { kind }, versions } } = parse(text) as Definition;
  for (const { name, schema: { openAPIV3Schema } } of versions) {
    const file = `${kind.toLowerCase()}-${group.split(".")[0]}-${name}.json`;
    writeFileSync(join(target, file), JSON.stringify(strict(openAPIV3Schema)));
  }
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: object } }[];
  };
}

/** A field that is not defined is a mistake, as it is in the schemas of Kubernetes. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, strict(item)]));
  const isClosed = typeof all["properties"] === "object" && all["type"] === "object" && all["additionalProperties"] === undefined;
  return isClosed && all["x-kubernetes-preserve-unknown-fields"] !== true ? { ...all, additionalProperties: false } : all;
}

function writeSchemas(source: string, target: string): void {
  mkdirSync(target);
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
