/**
 * The thread of createCheckpointer(): copies the WAL into the database whenever it is asked, and says how far it got.
 * Plain JavaScript: what strips types would be most of the thread's memory.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const handle = new DatabaseSync(workerData.path, { defensive: true, allowExtension: false });
handle.exec("PRAGMA synchronous = FULL");
const checkpoint = handle.prepare("PRAGMA wal_checkpoint(PASSIVE)");

parentPort?.on("message", (/** @type {import("./checkpointer.ts").CheckpointAsk} */ ask) => {
  parentPort?.postMessage(ask === "copy" ? copy() : end());
});

/** @returns {import("./checkpointer.ts").CheckpointDone} */
function copy() {
  try {
    const row = checkpoint.get();
    return { pages: Number(row?.["log"] ?? 0), copied: Number(row?.["checkpointed"] ?? 0) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** @returns {import("./checkpointer.ts").CheckpointDone} */
function end() {
  handle.close();
  return { pages: 0, copied: 0 };
}
