/** TypeScript to the JavaScript that is shipped: Node strips no types below node_modules. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { execPath } from "node:process";

export const root = resolve(import.meta.dirname, "../..");

/** The oldest Node that the code runs on: before, `node:sqlite` refused parameters that a statement names twice. */
export const nodeOldest = "22.20.0";
export const nodeRange = `^${nodeOldest} || >=24.7.0`;

/**
 * Compiles what `entries` reach, into the same folders below `target`, with declarations or (`only`) no more than these. Imports of `.ts` become
 * imports of `.js`.
 */
export function compile(entries: readonly string[], target: string, only?: "declarations"): void {
  mkdirSync(target, { recursive: true });
  const config = join(target, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: only !== undefined,
    rewriteRelativeImportExtensions: true,
    // What the oldest Node runs
    target: "es2024",
    rootDir: root,
    outDir: target,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const files = entries.map((entry) => join(root, entry));
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }));
  execFileSync(execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config], { stdio: "inherit" });
  rmSync(config);
}

/** Leaves the declarations that an importer of `entries` reads, and deletes those of what is inside. */
export function leaveDeclarationsOf(entries: readonly string[], target: string): void {
  const read = new Set<string>();
  function reach(file: string): void {
    if (read.has(file)) return;
    read.add(file);
    const imports = readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g);
    for (const [, path = ""] of imports) reach(resolve(dirname(file), `${path}.d.ts`));
  }
  for (const entry of entries) reach(join(target, entry));
  for (const file of filesBelow(target)) {
    if (file.endsWith(".d.ts") && !read.has(join(target, file))) rmSync(join(target, file));
  }
}

/** Paths relative to the folder, in one order on every machine. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
