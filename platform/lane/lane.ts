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

/** How many users the records say something of, one after the other. */
export function usersIn(records: readonly LaneRecord[]): number {
  return records.reduce((sum, { users = 1 }) => sum + users, 0);
}

/** The lane's reader. Records of a workspace come in the resolver's order; those read stay until they are taken. */
export interface Lane {
  /** The next records, of about `max` users or addresses; a workspace with many of them leaves room for others. */
  read(max: number): Promise<LaneRecord[]>;
  /** The last record that a workspace has in the lane. */
  last(workspaceId: string): LanePlace | undefined;
  /** Whether every record of the workspace up to `place` was taken. */
  isPast(workspaceId: string, place: LanePlace): boolean;
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
