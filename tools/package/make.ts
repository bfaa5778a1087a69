/**
 * `npm run package`: the packages `heddle` and `@heddle/client` in dist/, the same bytes for the same sources; `--check` makes them twice,
 * `--into=FOLDER` makes them there, so that two that build at once do not take each other's files away.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { argv } from "node:process";
import { bundle, bundledLibraries } from "./bundle.ts";
import { compile, filesBelow, leaveDeclarationsOf, nodeRange, root } from "./compile.ts";
import { bringAlong, checkImports, manifest } from "./dependency-tree.ts";

const into = argv.find((arg) => arg.startsWith("--into="))?.slice("--into=".length);
const dist = into === undefined ? join(root, "dist") : resolve(into);
const engines = { node: nodeRange };
const { version, license } = manifest;
/** Folders of the program: what is no code in them is read by it, or is its contract. */
const programFolders = ["cli", "client", "gateway", "platform", "proto", "services"];

const programs = ["cli/heddle.mjs", "cli/deno.mjs"];

const packages = [
  { name: "heddle", file: `heddle-${version}.tgz`, write: writeHeddle },
  { name: "client", file: `heddle-client-${version}.tgz`, write: writeClient },
];

if (into === undefined) rmSync(dist, { recursive: true, force: true });
else if (existsSync(dist) && readdirSync(dist).length > 0) throw new Error(`${into} is not empty: name a folder that is new`);
const made = await makeAll(dist);
if (argv.includes("--check")) {
  const again = mkdtempSync(join(tmpdir(), "heddle-package-"));
  const other = await makeAll(again);
  rmSync(again, { recursive: true });
  const differing = made.filter(({ hash }, at) => hash !== other[at]?.hash).map(({ file }) => file);
  if (differing.length > 0) throw new Error(`Two builds of the same sources differ: ${differing.join(", ")}`);
}
for (const { file, hash, kib } of made) console.log(`${into ?? "dist"}/${file}  ${kib} KiB  sha256 ${hash}`);

async function makeAll(target: string): Promise<{ file: string; hash: string; kib: number }[]> {
  await bundle("cli/main.ts", join(target, "heddle"));
  return packages.map(({ name, file, write }) => {
    const folder = join(target, name);
    write(folder);
    checkContents(folder);
    for (const path of filesBelow(folder)) chmodSync(join(folder, path), programs.includes(path) ? 0o755 : 0o644);
    execFileSync("npm", ["pack", folder, "--ignore-scripts", "--silent", "--pack-destination", target], { cwd: target, stdio: "ignore" });
    const bytes = readFileSync(join(target, file));
    return { file, hash: createHash("sha256").update(bytes).digest("hex"), kib: Math.round(bytes.length / 1024) };
  });
}

/** The command, what its code reads by path, the contract, and the documents. */
function writeHeddle(folder: string): void {
  const contract = filesBelow(join(root, "proto/gen")).map((file) => `proto/gen/${file}`);
  compile(contract, folder);
  compile(["cli/main.ts"], folder, "declarations");
  leaveDeclarationsOf(["cli/main.d.ts", ...contract.map((file) => file.replace(/\.ts$/, ".d.ts"))], folder);
  for (const top of programFolders) {
    const read = filesBelow(join(root, top)).filter((file) => !/\.(ts|mjs|md)$|^buf\.|(^|\/)node_modules\//.test(file));
    for (const file of read) copy(`${top}/${file}`, folder);
  }
  for (const file of filesBelow(join(root, "docs")).filter((file) => !file.startsWith("decisions/"))) copy(`docs/${file}`, folder);
  for (
    const file of [
      "README.md",
      "CHANGELOG.md",
      "LICENSE",
      "client/README.md",
      ...filesBelow(join(root, "examples")).map((file) => `examples/${file}`),
    ]
  ) {
    copy(file, folder);
  }
  writeFileSync(join(folder, "cli/heddle.mjs"), replaced(text("cli/heddle.mjs"), `import("./main.ts")`, `import("./main.js")`));
  copy("cli/deno.mjs", folder);
  writeJson(folder, "package.json", {
    name: manifest.name,
    version,
    description: manifest.description,
    license,
    type: "module",
    engines,
    bin: { heddle: "cli/heddle.mjs", "heddle-deno": "cli/deno.mjs" },
    exports: {
      ".": { types: "./cli/main.d.ts", default: "./cli/main.js" },
      "./proto/*.js": { types: "./proto/gen/*.d.ts", default: "./proto/gen/*.js" },
      "./package.json": "./package.json",
    },
    files: [...programFolders, "docs", "examples", "CHANGELOG.md"],
    dependencies: manifest.dependencies,
    bundleDependencies: Object.keys(manifest.dependencies),
  });
  bringAlong(folder);
  checkImports(folder, Object.keys(manifest.dependencies), bundledLibraries);
}

/** The client alone: nothing to install with it. */
function writeClient(folder: string): void {
  const inside = mkdtempSync(join(tmpdir(), "heddle-client-"));
  compile(["client/index.ts"], inside);
  cpSync(join(inside, "client"), folder, { recursive: true });
  rmSync(inside, { recursive: true });
  copyFileSync(join(root, "client/README.md"), join(folder, "README.md"));
  copy("LICENSE", folder);
  writeJson(folder, "package.json", {
    name: "@heddle/client",
    version,
    description: "The typed client of Heddle, the customer-data API that engineers run themselves.",
    license,
    type: "module",
    // AbortSignal.any
    engines: { node: ">=20.3" },
    sideEffects: false,
    exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
    files: ["**/*.js", "**/*.d.ts"],
  });
  checkImports(folder, []);
}

/** No tests, no TypeScript that would have to be stripped, no path of the machine that built it. */
function checkContents(folder: string): void {
  const files = filesBelow(folder).filter((file) => !file.startsWith("node_modules/"));
  const strays = files.filter((file) =>
    /\.(test|fixture)\.|-contract\.(js|d\.ts)$|^(?!examples\/).*(?<!\.d)\.ts$|^(test|tools)\//.test(file)
  );
  if (strays.length > 0) throw new Error(`This is not to be shipped: ${strays.join(", ")}`);
  const told = files.filter((file) => readFileSync(join(folder, file), "utf8").includes(root));
  if (told.length > 0) throw new Error(`The folder of this machine stands in ${told.join(", ")}`);
}

function replaced(whole: string, part: string, by: string): string {
  if (whole.split(part).length !== 2) throw new Error(`There must be one ${part} to replace`);
  return whole.replace(part, by);
}

function copy(file: string, folder: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  copyFileSync(join(root, file), join(folder, file));
}

function text(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function writeJson(folder: string, file: string, value: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
}
