/** What the package stands on, and brings along: nothing that runs a script when it is installed, and nothing that it does not import. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { filesBelow, root } from "./compile.ts";

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export const manifest = read("package.json") as Manifest;

/** Of these only files are served to browsers. They go with the package, and what they themselves ask for stays away. */
const servedFiles: Readonly<Record<string, readonly string[]>> = {
  "swagger-ui-dist": ["LICENSE", "NOTICE", "favicon-32x32.png", "swagger-ui-bundle.js", "swagger-ui.css"],
};

/**
 * Puts all that Heddle stands on into the package, at the versions that it was tested with: npm would install whatever fits by then, as
 * it reads no lock file of a package that is a file. None of it may run a script.
 */
export function bringAlong(target: string): void {
  const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };
  const served = Object.keys(servedFiles).filter((name) => name in manifest.dependencies);
  const paths = reached(packages, Object.keys(manifest.dependencies).filter((name) => !served.includes(name)));
  const scripted = paths.filter((path) => packages[path]?.hasInstallScript);
  if (scripted.length > 0) throw new Error(`These run a script when they are installed: ${scripted.join(", ")}`);
  for (const path of paths) {
    const source = join(root, path);
    // What lies in a folder of its own there is reached itself, where it is needed
    function isTaken(file: string): boolean {
      return !file.endsWith(".map") && !relative(source, file).startsWith("node_modules");
    }
    cpSync(source, join(target, path), { recursive: true, filter: isTaken });
  }
  for (const name of served) {
    const { version, license } = read(`node_modules/${name}/package.json`) as Record<string, string>;
    const folder = join(target, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    for (const file of servedFiles[name] ?? []) copyFileSync(join(root, "node_modules", name, file), join(folder, file));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, license }, null, 2)}\n`);
  }
}

/** Where the packages stand that `names` lead to. */
function reached(packages: Readonly<Record<string, Locked>>, names: readonly string[]): string[] {
  const found = new Set<string>();
  function reach(from: string, name: string): void {
    const path = placeOf(packages, from, name);
    if (path === undefined) throw new Error(`The lock file has no "${name}", which "${from}" asks for`);
    if (found.has(path)) return;
    found.add(path);
    for (const next of Object.keys(packages[path]?.dependencies ?? {})) reach(path, next);
  }
  for (const name of names) reach("", name);
  return [...found];
}

/** As Node looks for it: in the folder of the one that asks, then further out. */
function placeOf(packages: Readonly<Record<string, Locked>>, from: string, name: string): string | undefined {
  const path = `${from}${from === "" ? "" : "/"}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === "") return undefined;
  const end = from.lastIndexOf("/node_modules/");
  return placeOf(packages, end === -1 ? "" : from.slice(0, end), name);
}

/** Every package that the JavaScript below `target` imports is a dependency, and the other way round, but for what was `bundled` into it. */
export function checkImports(target: string, dependencies: readonly string[], bundled: readonly string[] = []): void {
  const imported = new Set<string>();
  const ours = filesBelow(target).filter((file) => /\.m?js$/.test(file) && !file.startsWith("node_modules"));
  for (const file of ours) {
    const text = readFileSync(join(target, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^".][^"\n]*)"/gm)) {
      imported.add(specifier);
    }
    for (const [, loaded, file] of text.matchAll(/\b(?:import|require)\(\s*"([^".][^"\n]*)"|\bresolve\(`([^`.$]+)\/\$/g)) {
      imported.add(loaded ?? file ?? "");
    }
    // Promises are resolved too, with any text
    for (const [, found = ""] of text.matchAll(/\bresolve\("([^"]+)"\)/g)) if (dependencies.includes(found)) imported.add(found);
  }
  const names = new Set([...imported].filter((name) => !isBuiltin(name)).map(packageOf));
  const absent = [...names].filter((name) => !dependencies.includes(name));
  const idle = dependencies.filter((name) => !names.has(name) && !bundled.includes(name));
  if (absent.length + idle.length === 0) return;
  throw new Error(
    `Imported and no dependency: ${absent.join(", ") || "none"}; a dependency and not imported: ${idle.join(", ") || "none"}`,
  );
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
