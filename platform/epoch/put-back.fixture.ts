/** A store in memory with the watermarks of a log, which ends and comes back with an older copy of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memorySession } from "../cassandra/memory-session.fixture.ts";
import type { Session, WatchedSession } from "../cassandra/session.ts";
import type { Epoch } from "../log/epoch.ts";
import { openEpochWatermarks } from "./watermarks.ts";

const schema = [readFileSync(join(import.meta.dirname, "../../services/profile/store/schema/v0003/epochs.cql"), "utf8")];

/** `stall` is what each statement waits for before it reaches the store; `asked` counts them. */
export function openPutBackStore() {
  const state = { now: memorySession(schema), stall: undefined as Promise<void> | undefined, asked: 0 };
  const listeners = new Set<() => void>();
  async function pass<Result>(call: (session: Session) => Promise<Result>): Promise<Result> {
    state.asked += 1;
    await state.stall;
    return await call(state.now.session);
  }
  const session: WatchedSession = {
    execute: (statement) => pass((now) => now.execute(statement)),
    batch: (statements) => pass((now) => now.batch(statements)),
    conditional: (statements) => pass((now) => now.conditional(statements)),
    page: (statement, options) => pass((now) => now.page(statement, options)),
    onNodeChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => Promise.resolve(),
  };
  function node(): void {
    for (const listener of listeners) listener();
  }
  return {
    session,
    state,
    /** A node comes or goes. */
    node,
    async reached(): Promise<ReadonlyMap<string, number>> {
      return await openEpochWatermarks(state.now.session, logName).reached();
    },
    async putBack(epoch: Epoch, reached: ReadonlyMap<string, number>): Promise<void> {
      node();
      state.now = memorySession(schema);
      await openEpochWatermarks(state.now.session, logName).begin(epoch, undefined);
      await openEpochWatermarks(state.now.session, logName).reach(reached);
      node();
    },
  };
}

export const logName = "heddle";
