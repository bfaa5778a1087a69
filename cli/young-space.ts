/** How large V8's space for young objects may become. It stays small until a process listens: starting alone would fill it, 18 MB for nothing. */
import { setFlagsFromString } from "node:v8";

/** From here on the space stays as it is; loading code costs some more collections of it, which are small. */
export function holdYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** The default, in one process: from here on it grows with what is asked of it, by doubles. */
export function releaseYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}

/** In a process of the mesh: the first time that it grows it takes all it may, `meshYoungSpaceMib` where the process was started so. */
export function releaseYoungSpaceWhole(): void {
  setFlagsFromString(growsWhole);
}

/** MiB of each of its two halves in a process of the mesh: docs/decisions/0026-room-for-young-objects.md. */
export const meshYoungSpaceMib = 32;

/** It begins with 1 MiB. */
const growsWhole = `--semi-space-growth-factor=${meshYoungSpaceMib}`;

/**
 * Environment variables that a process of the mesh is started with. V8 reads the size at its start alone, and else goes by the memory it finds.
 * Deno reads the growth there too, Node takes it only later. The images set the same (deploy/images/heddle-*.sh).
 */
export const meshYoungSpace = {
  node: { NODE_OPTIONS: `--max-semi-space-size=${meshYoungSpaceMib}` },
  deno: { DENO_V8_FLAGS: `--max-semi-space-size=${meshYoungSpaceMib},${growsWhole}` },
} as const;
