/**
 * The program's own modules, and those of the libraries that a start needs most of, as few files: linking hundreds of modules is more than half of a
 * start, and what the loader knows of each stays in memory.
 */
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./compile.ts";

/** Libraries of many small modules. They are brought along all the same: importers of the contract need one, and their folders have the notices that are to go with them. */
export const bundledLibraries = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-node", "parse5", "entities"];

/** Writes what `entry` reaches below `target`, all of it into the entry's folder; what is imported when it is asked for stays a file of its own. */
export async function bundle(entry: string, target: string): Promise<void> {
  const folder = dirname(entry);
  const built = await rolldown({
    input: join(root, entry),
    cwd: root,
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !bundledLibraries.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [{ name: "own-paths", transform: (code, id) => withOwnPaths(code, relative(root, id), folder) }],
  });
  await built.write({
    dir: join(target, folder),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await built.close();
}

/** A module that reads files beside itself finds them from the folder that it is put into. */
function withOwnPaths(code: string, file: string, folder: string): string | undefined {
  if (file.startsWith("node_modules") || !/import\.meta\.(url|dirname)/.test(code)) return undefined;
  const place = relative(folder, file);
  return code
    .replaceAll(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`)
    .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(place)}, import.meta.url).href`);
}
