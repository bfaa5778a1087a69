/** A lane: what the resolver sends to one service, in order, until the service has taken it. */

export interface LaneRecord {
  readonly workspaceId: string;
  /** Place in the intake log, and within the record's effects. */
  readonly sequence: number;
  readonly part: number;
  /** The user or address that the record changes, or the first of its users. */
  readonly key: string;
  /** How many users it says the same of. Absent: one. */
  readonly users?: number;
  readonly body: Uint8Array;
}

/** What an applier asks of the store of its lane. Records that are read stay there until they are taken. */
export interface Lane {
  /** Workspaces that have records, by name: at most `max`, behind `after`. */
  workspaces(after: string, max: number): string[];
  /** Records of a workspace in the resolver's order: at most `max`, behind `after`. */
  read(workspaceId: string, after: (LanePlace & Pick<LaneRecord, "key">) | undefined, max: number): LaneRecord[];
  /** The last record that a workspace has in the lane. */
  last(workspaceId: string): LanePlace | undefined;
  /** The first of them. */
  first(workspaceId: string): LanePlace | undefined;
  /** Puts records that waited back at their old places, inside a transaction. */
  putBack(records: readonly LaneRecord[]): void;
  /** Rises when records may have been put back, by this process or another one: what was read before has to be read again. */
  readonly returns: number;
}

export interface LanePlace {
  readonly sequence: number;
  readonly part: number;
}

/** Records were put back into the lane while others were applied: nothing of that was written, and the lane has to be read again. */
export class LaneChanged extends Error {}

/** A record that waits for a human, kept to be shown. */
export interface SetAside {
  readonly record: LaneRecord;
  readonly reason: string;
}
