/** What a check of the doctor found. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warn" | "fail";
  /** What was found and, where it is not well, what to do. */
  readonly text: string;
}
