/** What stands in for modules of test/ where the black-box files talk to a mesh that runs already. */
import { resolve } from "node:path";

export const alias = ["heddle", "command-line", "raw"].map((name) => ({
  find: new RegExp(`^\\.\\.?/${name}\\.ts$`),
  replacement: resolve(import.meta.dirname, `${name}.ts`),
}));
