/** The port of events: what services report to each other and to other teams, kept for a while, in order, for any reader. */

/** An event as it goes out. */
export interface PublishedEvent {
  /** As the payload's message says in proto: owner.noun.participle.vN. */
  readonly subject: string;
  /** The workspace, or the company, that it belongs to: letters, digits, `_`, `-` and `.`, as declared. */
  readonly scope: string;
  /** The same at every repeat of the same content, and different for every other event. */
  readonly eventId: string;
  /** What it is about; events of one key stay in order. */
  readonly key: string;
  /** The payload's message in protobuf: at most `eventBytesMax`, or a stream may not take it. */
  readonly body: Uint8Array;
}

/** An event as it is kept. */
export interface KeptEvent extends PublishedEvent {
  /** Its place in the stream; rises, with gaps. */
  readonly sequence: number;
  /** When it was kept, Unix milliseconds. */
  readonly keptAt: number;
}

export interface Events {
  /**
   * Keeps the events in their order and resolves when all are durable. An event that is kept already is not kept again
   * (in a stream: for `eventsRepeatMs`; readers know repeats by their id). After a failure any of them may be kept: the
   * caller publishes all again. Refuses LOG_UNAVAILABLE, OUTCOME_UNKNOWN and LOG_FULL; RangeError for a subject or scope
   * that is none.
   */
  publish(events: readonly PublishedEvent[]): Promise<void>;
  /** Up to `max` events above `after`, in order; with `subject` those alone. Refuses LOG_UNAVAILABLE. */
  read(after: number, options: { readonly max: number; readonly subject?: string }): Promise<KeptEvent[]>;
  /** The newest events of one subject and scope, at most `max`, the newest first. Refuses LOG_UNAVAILABLE. */
  readLast(of: Pick<PublishedEvent, "subject" | "scope">, max: number): Promise<KeptEvent[]>;
  close(): Promise<void>;
}

/** Throws RangeError where an event cannot be named in a stream. */
export function checkEvent({ subject, scope, eventId }: PublishedEvent): void {
  if (!/^[a-z]+([.][a-z-]+)+[.]v\d+$/.test(subject)) {
    throw new RangeError(`Expected a subject as in "profile.user.merged.v1", got "${subject}"`);
  }
  if (!/^[\w.-]+$/.test(scope)) throw new RangeError(`Expected a scope of letters, digits, "_", "-" and ".", got "${scope}"`);
  if (eventId === "") throw new RangeError(`Expected an id of the event "${subject}", got nothing`);
}
