/**
 * What an operator may ask of records that wait: to try them again, or to pass one over. It is done where the request for it
 * stands in the lane. A record that did not say whose it is goes behind all others, once that can be read.
 */
import { limits } from "../../../platform/limits.ts";
import {
  createHolds,
  type DeadLetterId,
  type Holds,
  partitioned,
  redrivable,
  skippable,
  waitingAt,
  type Whose,
} from "../../../platform/lane/hold-back.ts";
import type { DeadLetter, LaneRecord } from "../../../platform/lane/lane.ts";
import { pagesBehind } from "../../../platform/pages-behind.ts";
import type { ShownRecord } from "../../../platform/lane/shown-record.ts";
import type { LaneMessages } from "../engine/lane-message.ts";
import type { ConsentTables } from "../engine/tables.ts";

export type DeadLetterTables = Pick<ConsentTables<unknown>, "listSetAside" | "waiting" | "forgetSetAside">;
export type RedriveMessages = Pick<LaneMessages<unknown>, "decodedFromRow" | "whoseBody" | "shown" | "redriveBody">;

export interface RedriveDeps extends RedriveMessages {
  readonly tables: DeadLetterTables;
  laneOf(whose: Whose): number;
  append(lane: number, body: Uint8Array): Promise<void>;
}

export interface Redriving {
  /** Records that wait for a human, behind `after`, at most `max`. */
  listSetAside(max: number, after?: DeadLetterId): Promise<DeadLetter[]>;
  /** What one of them says. Refuses NOT_FOUND. */
  showSetAside(at: DeadLetterId): Promise<ShownRecord>;
  /** Asks for those that can be read now; how many. */
  redriveSetAside(): Promise<number>;
  /** Asks to forget the record that holds its user or address back, and to try those behind it once more. */
  skipSetAside(at: DeadLetterId): Promise<void>;
}

export function redriving({ tables, decodedFromRow, shown, whoseBody, redriveBody, laneOf, append }: RedriveDeps): Redriving {
  async function putBack(record: LaneRecord): Promise<number> {
    const whose = whoseBody(record.body);
    if (whose === undefined) return 0;
    await append(laneOf(whose), record.body);
    await tables.forgetSetAside([record]);
    return 1;
  }
  async function askFor(workspaceId: string, records: readonly LaneRecord[]): Promise<void> {
    for (const [lane, own] of Map.groupBy(records, laneOf)) {
      await append(lane, redriveBody(workspaceId, { keys: [...new Set(own.map(({ key }) => key))], skipped: [] }));
    }
  }
  /** The first at the place or behind it. */
  function only({ part, ...at }: DeadLetterId): Promise<DeadLetter[]> {
    return tables.listSetAside(1, { ...at, part: part - 1 });
  }
  return {
    listSetAside: (max, after) => tables.listSetAside(max, after),
    showSetAside: async (at) => shown(waitingAt(await only(at), at).record.body),
    async redriveSetAside() {
      const holds = new Map<string, Holds>();
      let found = 0;
      for await (const page of pagesBehind<DeadLetter>((last) => tables.listSetAside(limits.setAsideRedrivePage, last?.record))) {
        const [lost, known] = partitioned(redrivable(page, decodedFromRow, holds));
        for (const [workspaceId, records] of Map.groupBy(known, (record) => record.workspaceId)) await askFor(workspaceId, records);
        found += known.length;
        for (const record of lost) found += await putBack(record);
      }
      return found;
    },
    async skipSetAside(at) {
      const record = skippable(await only(at), at, createHolds(await tables.waiting(at.workspaceId)));
      if (record.workspaceId === "") return await tables.forgetSetAside([record]);
      await append(laneOf(record), redriveBody(record.workspaceId, { keys: [record.key], skipped: [record] }));
    },
  };
}
