/** A record of a lane of consent, as it is kept where it has to wait. */

export interface LaneRecord {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  /** Place in the intake log, and within the record's effects. */
  readonly sequence: number;
  readonly part: number;
  /** The user or address that the record changes, or the first of its users. */
  readonly key: string;
  readonly body: Uint8Array;
}

/** A record that waits for a human, kept to be shown. */
export interface DeadLetter {
  readonly record: LaneRecord;
  readonly reason: string;
}
