/**
 * How large V8's space for young objects may become, what is made old, and when old ones are collected. The space stays small until a process listens: starting
 * alone would fill it, 18 MB for nothing.
 */
import { versions } from "node:process";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

/** From here on the space stays as it is; loading code costs some more collections of it, which are small. */
export function holdSemiSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** In one process, once it listens: the space grows with what is asked of it, by doubles, which is the default, and new objects are young. */
export function releaseSemiSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  keepNewObjectsYoung();
  collectAllRarely();
}

/** As releaseSemiSpace, in a process of the mesh, on Node: the first time that the space grows it takes all it may, `meshSemiSpaceMib` where the process was started so. */
export function releaseSemiSpaceWhole(): void {
  // It begins with 1 MiB
  setFlagsFromString(`--semi-space-growth-factor=${meshSemiSpaceMib}`);
  keepNewObjectsYoung();
  collectAllRarely();
}

/**
 * V8 makes objects of a place in the code old at once where nearly all of them survived a while, and does not think better of it while much of
 * the heap lives: what such a one of a request refers to, which is all of the request, then stays and is copied until old objects are collected.
 */
function keepNewObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * All there is is collected when the heap has grown to three times what lived. By itself V8 goes by how fast objects become old: where few do, it collects sooner, each
 * time with pauses that answers wait for, to save memory that it takes where many do. Not where the heap must stay below 1 GiB.
 *
 * Buffers count toward the limit that the heap has. By itself V8 begins such a collection whenever 64 MB of buffers were promoted, however large
 * the heap: with that of a profile process every five seconds, each with 200 ms of pauses. Not where the heap must stay below 3 GiB: buffers may then take
 * as much again as the heap.
 */
function collectAllRarely(): void {
  const { heap_size_limit: heapBytesMax } = getHeapStatistics();
  const isKnown = versions.v8.startsWith(`${v8OfNode24}.`);
  if (heapBytesMax >= gibibyte) setFlagsFromString("--heap-growing-percent=200");
  if (isKnown && heapBytesMax >= 3 * gibibyte) setFlagsFromString("--external-memory-accounted-in-global-limit");
}

/** Those of Node 22 and of Deno have no flag for buffers, and V8 complains about one that it does not know. */
const v8OfNode24 = 13;

const gibibyte = 1024 ** 3;

/** MiB of each of its two halves in a process of the mesh: docs/decisions/0026-room-for-young-objects.md. */
export const meshSemiSpaceMib = 32;
