/** What is shipped and from where: the lock file alone, few packages, none that runs a script, and a bill of materials that names them all. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { execPath } from "node:process";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const manifest = JSON.parse(text("package.json")) as Record<"dependencies" | "devDependencies", Record<string, string>>;
const production = Object.entries(
  (JSON.parse(text("package-lock.json")) as { packages: Record<string, Locked> }).packages,
).filter(([path, { dev }]) => path !== "" && dev !== true);

interface Locked {
  readonly version: string;
  /** Where it stands in the folder of another name. */
  readonly name?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly hashes?: readonly unknown[];
  readonly licenses?: readonly unknown[];
}

function text(path: string): string {
  return readFileSync(resolve(repository, path), "utf8");
}

function sbom(): string {
  return execFileSync(execPath, ["tools/sbom.mjs"], { cwd: repository, encoding: "utf8" });
}

test("the production tree is small, exact, whole by its hashes, and runs no script when it is installed", () => {
  expect(production.length).toBeLessThanOrEqual(60);
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies })) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  for (const [path, { integrity, hasInstallScript }] of production) {
    expect([path, integrity?.startsWith("sha512-"), hasInstallScript === true]).toEqual([path, true, false]);
  }
});

test("npm run sbom names every production package with its version, hash and licence, and says the same twice", { timeout: 60_000 }, () => {
  const bom = JSON.parse(sbom()) as { bomFormat: string; metadata: { component: { name: string } }; components: Component[] };
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(["CycloneDX", "heddle"]);
  const named = new Set(bom.components.map((component) => component["bom-ref"]));
  const wanted = production.map(([path, { version, name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length) }]) =>
    `${name}@${version}`
  );
  expect([...named].sort()).toEqual([...new Set(wanted)].sort());
  for (const { name, hashes = [], licenses = [] } of bom.components) {
    expect([name, hashes.length > 0, licenses.length > 0]).toEqual([name, true, true]);
  }
  expect(sbom()).toBe(sbom());
});

test("the image has it, and refuses a base without a digest where one is asked for", () => {
  const dockerfile = text("deploy/images/Dockerfile");
  expect(dockerfile).toContain("COPY --from=packages /app/sbom.cdx.json ./");
  expect(text("deploy/images/Dockerfile.dockerignore")).toContain("!tools/sbom.mjs");
  const [, check = ""] = /^RUN (case .*)$/m.exec(dockerfile) ?? [];
  const tag = "node:24.21.0-bookworm-slim";
  const pinned = `${tag}@sha256:${"0".repeat(64)}`;
  function builds(PINNED: string, BASE: string): boolean {
    return spawnSync("sh", ["-c", check], { env: { PINNED, BASE } }).status === 0;
  }
  expect([builds("no", tag), builds("no", pinned), builds("yes", pinned), builds("yes", tag), builds("perhaps", tag)]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
