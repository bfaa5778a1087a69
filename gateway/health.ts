/** What a process says of its readiness. */
export interface Health {
  readonly ready: boolean;
  /** Names the part that fails. */
  readonly reason?: string;
}
