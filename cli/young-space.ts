/** How large V8's space for young objects may become: it never shrinks, and starting alone would fill it, 18 MB for nothing. */
import { setFlagsFromString } from "node:v8";

/** From here on the space stays as it is; loading code costs some more collections of it, which are small. */
export function holdYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** The default: from here on it grows with what is asked of it. */
export function releaseYoungSpace(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
