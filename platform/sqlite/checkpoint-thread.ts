/** What copies the WAL into the database, on a thread of its own: waits for the disk there and not where requests are answered. */
import { Worker } from "node:worker_threads";

/** Frames of the WAL, and how many of them the database has. */
export interface Copied {
  readonly log: number;
  readonly checkpointed: number;
}

export interface CheckpointThread {
  /** Copies what the WAL has now. Writes may go on meanwhile. Rejects where SQLite could not, or the thread has ended. One at a time. */
  copy(): Promise<Copied>;
  /** Resolves when the thread is gone, and its connection with it. */
  end(): Promise<void>;
}

/** Takes some 20 MB of memory until it ends. Keeps the process alive while it is asked something. */
export function startCheckpointThread(path: string): CheckpointThread {
  // The text of a function and no file: the same in a clone and in a bundle, and no TypeScript is read there
  const worker = new Worker(`(${thread})()`, { eval: true, workerData: path, env: {}, execArgv: [] });
  worker.unref();
  let waiting: PromiseWithResolvers<Copied> | undefined;
  let over: Error | undefined;
  function settle(how: (of: PromiseWithResolvers<Copied>) => void): void {
    worker.unref();
    if (waiting !== undefined) how(waiting);
    waiting = undefined;
  }
  function finish(cause: Error): void {
    over ??= cause;
    settle(({ reject }) => reject(over));
  }
  function ask(what: Asked): Promise<Copied> {
    if (over !== undefined) return Promise.reject(over);
    waiting = Promise.withResolvers<Copied>();
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(what);
    return waiting.promise;
  }
  worker.on("message", (copied: Copied) => settle(({ resolve }) => resolve(copied)));
  worker.on("error", finish);
  worker.on("exit", () => finish(new Error("The thread has ended")));
  return {
    copy: () => ask("copy"),
    async end() {
      // One that failed has closed its connection
      await ask("close").catch(() => {});
      await worker.terminate();
    },
  };
}

type Asked = "copy" | "close";

/** Runs in the thread, as text: it may use nothing of this module. What it throws ends it. */
function thread(): void {
  // oxlint-disable-next-line no-restricted-globals -- nothing can be imported here
  const { getBuiltinModule } = process;
  const { parentPort, workerData } = getBuiltinModule("node:worker_threads");
  const { DatabaseSync } = getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(workerData as string);
  const copy = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort?.on("message", (asked: Asked) => {
    const copied = asked === "copy" ? { ...copy.get() } : {};
    if (asked === "close") database.close();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort.postMessage(copied);
  });
}
