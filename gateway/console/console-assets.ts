/** The console's modules and style: the files of static/ as they lie there, and the two packages they stand on, under our own origin. */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** By the name below /console/assets/. */
export function consoleAssets(): readonly (readonly [name: string, read: () => Promise<string>])[] {
  const own = readdirSync(new URL("static/", import.meta.url)).map((name) => [name, new URL(`static/${name}`, import.meta.url)] as const);
  return [
    ...own.map(([name, file]) => [name, () => moduleText(fileURLToPath(file))] as const),
    ...packages.map(([, name, file]) => [name, () => moduleText(file())] as const),
  ];
}

const { resolve } = createRequire(import.meta.url);

/** What modules call it, our name for it, and where it lies. */
const packages: readonly (readonly [specifier: string, name: string, file: () => string])[] = [
  ["preact", "preact.js", () => resolve("preact")],
  ["preact/hooks", "preact-hooks.js", () => resolve("preact/hooks")],
  ["htm", "htm.js", () => resolve("htm").replace(/htm\.js$/, "htm.module.js")],
];

/** Browsers find no package by its name without an import map, and that would be a script within the page, which the policy forbids. */
async function moduleText(file: string): Promise<string> {
  const text = await readFile(file, "utf8");
  const found = text.replaceAll(/from ?"([^"]+)"/g, (whole, specifier: string) => {
    const known = packages.find(([name]) => name === specifier);
    return known === undefined ? whole : `from"/console/assets/${known[1]}"`;
  });
  return found.replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, "\n");
}
