/** What copies the WAL into the database, on a thread of its own: waits for the disk there and not where requests are answered. */
import { Worker } from "node:worker_threads";

export interface CheckpointThread {
  /** Opens both files, unless they are: what the disk fails to write from then on, a copy reports. Rejects as `copy`. */
  open(): Promise<void>;
  /**
   * Copies what the WAL has now; false where another connection is copying. Writes may go on meanwhile; the database's file is synced only where they
   * did not. Rejects with SQLite's error and its `errcode`, or without one where there is no thread. One at a time.
   */
  copy(): Promise<boolean>;
  /** Resolves when the thread is gone, and its connection with it. */
  end(): Promise<void>;
}

/** Takes some 20 MB of memory until it ends. Keeps the process alive while it is asked something. */
export function startCheckpointThread(path: string): CheckpointThread {
  // The text of a function and no file: the same in a clone and in a bundle, and no TypeScript is read there
  const worker = new Worker(`(${thread})()`, { eval: true, workerData: path, env: {}, execArgv: [] });
  worker.unref();
  let waiting: PromiseWithResolvers<boolean> | undefined;
  let over: Error | undefined;
  function settle(how: (of: PromiseWithResolvers<boolean>) => void): void {
    worker.unref();
    if (waiting !== undefined) how(waiting);
    waiting = undefined;
  }
  function finish(cause: Error): void {
    over ??= cause;
    settle(({ reject }) => reject(over));
  }
  function ask(what: Asked): Promise<boolean> {
    if (over !== undefined) return Promise.reject(over);
    waiting = Promise.withResolvers<boolean>();
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(what);
    return waiting.promise;
  }
  worker.on("message", ({ isDone, failed }: Answer) => {
    if (failed === undefined) settle(({ resolve }) => resolve(isDone));
    else settle(({ reject }) => reject(Object.assign(new Error(failed.message), { errcode: failed.errcode })));
  });
  worker.on("error", finish);
  worker.on("exit", () => finish(new Error("The thread has ended")));
  return {
    async open() {
      await ask("open");
    },
    copy: () => ask("copy"),
    async end() {
      // Where it has ended by itself, its connection did, too
      await ask("close").catch(() => {});
      await worker.terminate();
    },
  };
}

type Asked = "open" | "copy" | "close";

interface Answer {
  readonly isDone: boolean;
  readonly failed?: { readonly message: string; readonly errcode?: unknown };
}

/** Runs in the thread, as text: it may use nothing of this module. */
function thread(): void {
  // oxlint-disable-next-line no-restricted-globals -- nothing can be imported here
  const { getBuiltinModule } = process;
  const { existsSync } = getBuiltinModule("node:fs");
  const { parentPort, workerData } = getBuiltinModule("node:worker_threads");
  const { DatabaseSync } = getBuiltinModule("node:sqlite");
  const path = workerData as string;
  let database: InstanceType<typeof DatabaseSync> | undefined;
  function open(): void {
    // SQLite would make one that is gone
    if (!existsSync(path)) throw new Error("The database's file is gone");
    database ??= new DatabaseSync(path);
    // The WAL is opened by the first read
    database.exec("PRAGMA synchronous = FULL; SELECT count(*) FROM sqlite_schema");
  }
  function answer(asked: Asked): Answer {
    try {
      if (asked === "open") open();
      if (asked === "close") database?.close();
      return { isDone: asked !== "copy" || database?.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["busy"] === 0 };
    } catch (error) {
      const { message, errcode } = error as { message: string; errcode?: unknown };
      return { isDone: false, failed: { message, errcode } };
    }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.on("message", (asked: Asked) => parentPort.postMessage(answer(asked)));
}
