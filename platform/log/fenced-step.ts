/** The port of fenced steps: several messages and a checkpoint, all or none, and only from a writer that knows the last checkpoint. */
import type { PartMessage } from "./message-size.ts";

export interface FencedSteps {
  /** What the body of a message may hold, as the server says that is connected now; records are cut by it (`cutRecord`). */
  readonly bodyBytesMax: number;
  /**
   * Publishes the messages of one step in their order, all or none, durable when accepted, side by side in the log: but
   * only if the last message of `checkpointSubject` has the sequence `expectedLast` (0: there is none yet). So of two
   * writers that each believe to be the only one exactly one lands, and the other is refused.
   * After "refused" or "unknown" the caller drops what it believes and reads the checkpoint again; an unknown step may
   * still land until another one is accepted.
   * Refuses LOG_FULL and LOG_UNAVAILABLE (certainly not written; the fence was not asked): LOG_FULL while less than
   * `logReserveShare` of the log would stay free, but for a step that is its checkpoint alone; LOG_UNAVAILABLE too where a
   * message is larger than the server takes by now. RangeError for a step that has not exactly one message for its
   * checkpoint, or more than `logBatchMessagesMax` messages.
   */
  publishStep(step: Step): Promise<StepOutcome>;
  /** The last message of the subject, asked from the leader; undefined where there is none. Refuses LOG_UNAVAILABLE. */
  checkpoint(checkpointSubject: string): Promise<Checkpoint | undefined>;
  /** Forgets the subject's checkpoints before the one with this sequence, which must have been accepted or read. */
  trimCheckpoints(checkpointSubject: string, before: number): Promise<void>;
  close(): Promise<void>;
}

export interface Step {
  /** The checkpoint is one of them. */
  readonly messages: readonly StepMessage[];
  readonly checkpointSubject: string;
  readonly expectedLast: number;
}

export type StepMessage = PartMessage;

export type StepOutcome =
  | {
    readonly kind: "accepted";
    /** Of the checkpoint: what the next step expects. */
    readonly sequence: number;
    /** Of each message of the step. */
    readonly sequences: readonly number[];
  }
  /** Certainly not written: another checkpoint was there. */
  | { readonly kind: "refused" }
  /** No answer came: it may be written. */
  | { readonly kind: "unknown"; readonly cause: unknown };

interface Checkpoint {
  readonly sequence: number;
  readonly body: Uint8Array;
}
