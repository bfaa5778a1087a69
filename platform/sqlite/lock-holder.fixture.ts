/** A process that takes the data folder of its first argument, says so, and waits to be killed; for tests. */
import process from "node:process";
import { lockDirectory } from "./lock.ts";

lockDirectory(process.argv[2] ?? "");
process.send?.("locked");
setInterval(() => {}, 1_000);
