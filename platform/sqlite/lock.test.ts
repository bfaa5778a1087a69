/** The lock of a data folder while commands look whether somebody has it. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLocked, lockDirectory } from "./lock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-lock-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("isLocked() says whether a process has the folder, makes nothing, and is not misled by another who looks", () => {
  expect(isLocked(folder)).toBe(false);
  expect(isLocked(join(folder, "none"))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const lock = lockDirectory(folder);
  expect(isLocked(folder)).toBe(true);
  lock.release();
  const look = new DatabaseSync(join(folder, "heddle.lock"), { readOnly: true });
  look.exec(aLook);
  expect(isLocked(folder)).toBe(false);
  look.close();
});

test("lockDirectory() waits for who looks", async () => {
  lockDirectory(folder).release();
  const isAsked = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(looker, { eval: true, workerData: { path: join(folder, "heddle.lock"), isAsked, aLook } });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  await new Promise((resolve) => worker.once("message", resolve));
  Atomics.store(isAsked, 0, 1);
  Atomics.notify(isAsked, 0);
  lockDirectory(folder).release();
  await ended;
});

const aLook = "BEGIN; SELECT 1 FROM sqlite_schema";

/** Is still busy with its look for a while after it is told that the folder is asked for. */
const looker = `
  const { workerData: { path, isAsked, aLook }, parentPort } = require("node:worker_threads");
  const handle = new (require("node:sqlite").DatabaseSync)(path, { readOnly: true });
  handle.exec(aLook);
  parentPort.postMessage("looks");
  Atomics.wait(isAsked, 0, 0);
  require("node:crypto").pbkdf2Sync("a", "b", 20_000, 32, "sha256");
  handle.close();
`;
