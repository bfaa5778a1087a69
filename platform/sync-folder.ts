/** What names a file has, on the disk. */
import { closeSync, fsyncSync, openSync } from "node:fs";

/** A rename in the folder survives a power cut from then on. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
