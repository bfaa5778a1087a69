/** `npm run sbom`: what the production tree consists of, by the lock file alone, as CycloneDX; the same text for the same lock file. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
const made = spawnSync("npm", args, { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
if (made.status !== 0) {
  process.stderr.write(`npm sbom failed: ${made.error?.message ?? made.stderr}\n`);
  process.exit(1);
}
const { serialNumber: _serialNumber, ...bom } = JSON.parse(made.stdout);
// Not by --omit=dev, which leaves out what a development package needs too
const production = new Set(
  Object.entries(read("package-lock.json").packages).flatMap(([path, { dev, name = nameOf(path), version }]) =>
    dev ? [] : [`${name}@${version}`]
  ),
);
bom.components = bom.components.filter(({ "bom-ref": ref }) => production.has(ref));
const refs = new Set([bom.metadata.component["bom-ref"], ...bom.components.map(({ "bom-ref": ref }) => ref)]);
bom.dependencies = bom.dependencies.filter(({ ref }) => refs.has(ref)).map(({ ref, dependsOn = [] }) => ({
  ref,
  dependsOn: dependsOn.filter((one) => refs.has(one)),
}));
// What differs from run to run says nothing, and two images of the same sources are the same
delete bom.metadata.timestamp;
// npm names it after the folder
bom.metadata.component.name = read("package.json").name;
const text = `${JSON.stringify(bom, null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);

function read(file) {
  return JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"));
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
