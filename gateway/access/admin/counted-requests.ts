/** What one process counted of the requests of a workspace: names once, and under them the numbers of each minute of an hour and hour of a day. */
import type { Write } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";

export interface CountedRequest {
  /** The limit that it took from, or would have. */
  readonly limit: string;
  /** It was beyond the limit. */
  readonly isLimited: boolean;
  /** Why it was refused; empty where it was not. */
  readonly reason: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A document has the minutes of an hour, or the hours of a day. */
export const kinds = {
  minute: { kind: "minutes", slotMs: minuteMs, spanMs: hourMs, keepMs: limits.requestMinutesKeepMs },
  hour: { kind: "hours", slotMs: hourMs, spanMs: dayMs, keepMs: limits.requestHoursKeepMs },
} as const;

/** Of one workspace: the hour and the day that go on, and those that ended and are not written. */
export class CountedRequests {
  readonly #id: string;
  #spans: CountedSpan[] = [];

  constructor(id: string) {
    this.#id = id;
  }

  add(now: number, { limit, isLimited, reason }: CountedRequest): void {
    for (const by of ["minute", "hour"] as const) {
      const span = this.#at(by, now);
      span.add(now, `requests:${limit}`);
      if (reason !== "") span.add(now, `refused:${reason}`);
      if (isLimited) span.add(now, `limited:${limit}`);
    }
  }

  spans(by: CountedSpan["by"]): readonly CountedSpan[] {
    return this.#spans.filter((span) => span.by === by);
  }

  /** What `put` wrote is written, but for what is added meanwhile; what has ended is kept until then. */
  async write(put: (writes: readonly Write[]) => Promise<unknown>): Promise<void> {
    const spans = this.#spans.filter(({ isWritten }) => !isWritten);
    const writes = spans.map((span) => span.toWrite());
    try {
      await put(writes);
    } catch (error) {
      for (const span of spans) span.isWritten = false;
      throw error;
    }
    this.#spans = this.#spans.filter((span) => !span.isWritten || span === this.#spans.findLast(({ by }) => by === span.by));
  }

  #at(by: CountedSpan["by"], now: number): CountedSpan {
    const at = Math.floor(now / kinds[by].spanMs);
    const last = this.#spans.findLast((span) => span.by === by);
    // A clock that stepped back counts on where it was
    if (last !== undefined && at <= last.at) return last;
    const next = new CountedSpan(by, at, this.#id);
    this.#spans.push(next);
    return next;
  }
}

export interface CountedValue {
  /** The hour or the day since 1970. */
  readonly at: number;
  readonly names: readonly string[];
  readonly slots: readonly (readonly [slot: number, counts: readonly number[]])[];
}

export class CountedSpan {
  readonly by: keyof typeof kinds;
  readonly at: number;
  readonly id: string;
  isWritten = false;
  readonly #places = new Map<string, number>();
  readonly #slots = new Map<number, number[]>();

  constructor(by: keyof typeof kinds, at: number, owner: string) {
    this.by = by;
    this.at = at;
    this.id = `${digits(at)}:${owner}`;
  }

  add(now: number, name: string): void {
    const { slotMs, spanMs } = kinds[this.by];
    const slot = Math.max(0, Math.floor((now - this.at * spanMs) / slotMs));
    let place = this.#places.get(name);
    if (place === undefined) this.#places.set(name, place = this.#places.size);
    let counts = this.#slots.get(slot);
    if (counts === undefined) this.#slots.set(slot, counts = []);
    while (counts.length <= place) counts.push(0);
    counts[place] = (counts[place] ?? 0) + 1;
    this.isWritten = false;
  }

  toValue(): CountedValue {
    const slots = Array.from(this.#slots, ([slot, counts]) => [slot, [...counts]] as const);
    return { at: this.at, names: [...this.#places.keys()], slots };
  }

  toWrite(): Write {
    this.isWritten = true;
    const { kind, spanMs, keepMs } = kinds[this.by];
    return { key: { kind, id: this.id }, value: { ...this.toValue(), expiresAt: (this.at + 1) * spanMs + keepMs } };
  }
}

/** Ids are in the order of time. */
export function digits(at: number): string {
  return String(at).padStart(9, "0");
}
