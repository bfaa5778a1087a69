/** A lane in memory, for tests of its reader. */
import type { Lane, LaneRecord } from "./lane.ts";
import { isBefore, markOf } from "./mark.ts";

export interface MemoryLane extends Lane {
  /** All that is in the lane. */
  readonly records: LaneRecord[];
  take(records: readonly LaneRecord[]): void;
}

export function createMemoryLane(): MemoryLane {
  const records: LaneRecord[] = [];
  let returns = 0;
  function of(workspaceId: string): LaneRecord[] {
    return records.filter((record) => record.workspaceId === workspaceId).sort((a, b) => isBefore(markOf(a), markOf(b)) ? -1 : 1);
  }
  return {
    records,
    workspaces: (after, max) => [...new Set(records.map((record) => record.workspaceId))].sort().filter((id) => id > after).slice(0, max),
    read: (workspaceId, after, max) =>
      of(workspaceId).filter((one) => after === undefined || isBefore(markOf(after), markOf(one))).slice(0, max),
    last: (workspaceId) => of(workspaceId).at(-1),
    first: (workspaceId) => of(workspaceId)[0],
    putBack(returned) {
      records.push(...returned);
      returns += 1;
    },
    get returns() {
      return returns;
    },
    take(taken) {
      for (const one of taken) records.splice(records.indexOf(one), 1);
    },
  };
}
