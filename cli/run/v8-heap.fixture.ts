/** How a process of the mesh is started. */
import { meshSemiSpaceMib } from "./v8-heap.ts";

/**
 * NODE_OPTIONS that a process of the mesh is started with: V8 reads the size then alone, and else goes by the memory it finds. The images
 * set the same (deploy/images/heddle-*.sh). Deno has that size by itself, and takes the growth factor at its start alone.
 */
export const meshNodeOptions = `--max-semi-space-size=${meshSemiSpaceMib}`;
