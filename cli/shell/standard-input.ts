/** Standard input, read whole: also one that does not wait for its writer, as a pipe from a cluster's exec is. */
import { readSync } from "node:fs";
import { limits } from "../../platform/limits.ts";
import { CommandError } from "./output.ts";

const chunkBytes = 65_536;
const pauseMs = 20;

/** Waits until the writer is done. Throws CommandError where more comes than it may be, a declaration unless something else is said. */
export function readStandardInput(bytesMax: number = limits.declarationBytesMax): Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = Buffer.alloc(chunkBytes);
    const read = readSome(chunk);
    if (read === 0) return Buffer.concat(chunks);
    if (read === undefined) continue;
    bytes += read;
    if (bytes > bytesMax) {
      throw new CommandError(`Standard input is longer than a declaration may be (${bytesMax} bytes)`);
    }
    chunks.push(chunk.subarray(0, read));
  }
}

/** Undefined where nothing has come yet. */
function readSome(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EOF") return 0;
    if (code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    return undefined;
  }
}
