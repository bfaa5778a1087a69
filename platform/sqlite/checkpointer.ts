/** Keeps the WAL short without anybody waiting for it: a thread of its own copies it into the database. */
import { clearTimeout, setTimeout } from "node:timers";
import { Worker } from "node:worker_threads";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";

export interface Checkpointer {
  /** A transaction was committed. */
  committed(): void;
  /** While it is true no write may begin: the last pages are being copied, so that the WAL can begin anew. */
  isHolding(): boolean;
  /** Ends the thread; before the database is closed, which copies what is left. */
  close(): Promise<void>;
}

export interface CheckpointerParts {
  /** Of the database. */
  readonly path: string;
  readonly logger: Logger;
  /** Writes may begin again. */
  readonly onReleased: () => void;
}

/** `end`: the last question. */
export type CheckpointAsk = "copy" | "end";
/** What a pass came to: pages in the WAL when it began, and how many of them are in the database. */
export type CheckpointDone = { readonly pages: number; readonly copied: number } | { readonly failed: string };

/**
 * A pass begins when about `storeWalPagesMax` pages came since the last one; nobody tells how many a commit made, so the
 * passes say. What is written during a pass stays in the WAL, which begins anew only when all of it is copied: a second
 * pass then holds writes for the few milliseconds that it takes, `storeHoldMsMax` at most. The thread starts when it is
 * first needed. Where it does not keep up SQLite copies by itself, inside a commit, at `storeWalPagesHard`.
 */
export function createCheckpointer(parts: CheckpointerParts): Checkpointer {
  return new ThreadCheckpointer(parts);
}

class ThreadCheckpointer implements Checkpointer {
  readonly #parts: CheckpointerParts;
  #worker: Worker | undefined;
  #ended: (() => void) | undefined;
  /** `late`: a pass that held writes for too long and goes on without. */
  #state: "idle" | "copying" | "holding" | "late" | "closed" = "idle";
  /** Since the last pass began. */
  #commits = 0;
  /** Of these, what the pass under way copies. */
  #commitsAsked = 0;
  #pagesPerCommit: number = limits.storeWalPagesMax / commitsOfFirstPass;
  /** What the WAL held when the last pass began; 0 where it begins anew. */
  #pagesBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: CheckpointerParts) {
    this.#parts = parts;
  }

  committed(): void {
    this.#commits += 1;
    if (this.#state === "idle" && this.#commits * this.#pagesPerCommit >= limits.storeWalPagesMax) this.#copy("copying");
  }

  isHolding(): boolean {
    return this.#state === "holding";
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = "closed";
    const worker = this.#worker;
    if (worker === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.storeBusyTimeoutMs);
      this.#ended = () => {
        clearTimeout(timer);
        resolve();
      };
      worker.postMessage("end" satisfies CheckpointAsk);
    });
    await worker.terminate();
  }

  #copy(state: "copying" | "holding"): void {
    this.#state = state;
    this.#commitsAsked = this.#commits;
    this.#commits = 0;
    this.#worker ??= this.#start();
    this.#worker.postMessage("copy" satisfies CheckpointAsk);
    // Keeps the process, which the thread does not, for whoever waits to write
    if (state === "holding") this.#timer = setTimeout(() => this.#release("late"), limits.storeHoldMsMax);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./checkpoint-worker.mjs", import.meta.url), {
      workerData: { path: this.#parts.path },
      resourceLimits: { maxOldGenerationSizeMb: limits.checkpointHeapMegabytes, maxYoungGenerationSizeMb: 1 },
    });
    worker.unref();
    worker.on("message", (done: CheckpointDone) => this.#done(done));
    worker.on("error", (error) => {
      this.#worker = undefined;
      this.#fail(error);
    });
    return worker;
  }

  #done(done: CheckpointDone): void {
    if (this.#state === "closed") return this.#ended?.();
    if ("failed" in done) return this.#fail(new Error(done.failed));
    this.#learn(done.pages);
    const isWhole = done.copied === done.pages;
    // A reader of an old state may keep pages from being copied: holding would not help
    if (isWhole && this.#commits > 0 && this.#state === "copying") return this.#copy("holding");
    if (isWhole && this.#commits === 0) this.#pagesBefore = 0;
    this.#release("idle");
  }

  #learn(pages: number): void {
    const came = Math.max(0, pages - this.#pagesBefore);
    this.#pagesBefore = pages;
    if (this.#commitsAsked > 0) this.#pagesPerCommit += (Math.max(1, came / this.#commitsAsked) - this.#pagesPerCommit) * weightOfLatest;
  }

  #release(state: "idle" | "late"): void {
    const wasHolding = this.#state === "holding";
    clearTimeout(this.#timer);
    this.#state = state;
    if (wasHolding) this.#parts.onReleased();
  }

  /** Tried again when as many pages came once more. */
  #fail(error: unknown): void {
    if (this.#state === "closed") return this.#ended?.();
    this.#parts.logger.error("store_checkpoint_failed", error);
    this.#release("idle");
  }
}

const commitsOfFirstPass = 256;
const weightOfLatest = 0.5;
