/** Signals that end a command: what it must not leave behind goes first. */
import { constants } from "node:os";

/**
 * Runs `work`. A signal that comes meanwhile ends the process behind `undo`, which throws nothing, of this and of all other such work under way;
 * a second one ends it at once.
 */
export async function withUndo<T>(undo: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  if (undos.size === 0) { for (const signal of interrupts) process.on(signal, endBySignal); }
  undos.add(undo);
  try {
    return await work();
  } finally {
    undos.delete(undo);
    if (undos.size === 0) { for (const signal of interrupts) process.off(signal, endBySignal); }
  }
}

const interrupts = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const undos = new Set<() => Promise<void>>();
let isEnding = false;

/** With the code that shells give to a process that died of it. */
function endBySignal(signal: NodeJS.Signals): void {
  function end(): void {
    process.exit(128 + constants.signals[signal]);
  }
  if (isEnding) return end();
  isEnding = true;
  void Promise.all([...undos].map((undo) => undo())).finally(end);
}
