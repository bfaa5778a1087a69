/** The port of watermarks: how far the rows come from the log, kept beside them, so that rows are noticed that were put back from an older copy. */
export interface RowWatermarks {
  /** Keeps, together, by name, the sequence that each has reached; one that is further already stays there. */
  reach(watermarks: ReadonlyMap<string, number>): Promise<void>;
  /**
   * The log says that rows had reached these: a process that goes on with the work of another learns it from there alone. Nothing more
   * is read of rows or written to them before they were found to be as far.
   */
  expect(watermarks: ReadonlyMap<string, number>): void;
}
