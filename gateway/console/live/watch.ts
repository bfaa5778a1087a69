/** One workspace that is watched: who looks at it here and at other gateways, what each of them is sent, and what there was lately. */
import { limits } from "../../../platform/limits.ts";
import type { AnswerStream } from "../../http/http-message.ts";
import { keyOfFilter, type LiveFilter, matches, mayMatch } from "./filter.ts";
import { Ring } from "./ring.ts";
import { type Rate, Sampler } from "./sampler.ts";
import { type LiveRequest, type SeenRequest, withoutPersonal } from "./seen.ts";

/** A view that is open at this gateway. */
export interface Viewer {
  readonly filter: LiveFilter;
  /** It may see bodies, and what people are called. */
  readonly personal: boolean;
  readonly out: AnswerStream;
  isStillGood(): boolean;
}

/** What a gateway wants of the others. */
export interface Wanted {
  readonly filters: readonly LiveFilter[];
  readonly personal: boolean;
}

/** How much there was of each filter, by its key. */
export type Rates = Readonly<Record<string, Rate>>;

interface Look {
  readonly viewer: Viewer;
  readonly key: string;
  /** Since the last tick. */
  sent: number;
  dropped: number;
  rateSentAt: number;
}

/** A filter that views use. Times are monotonic. */
interface Lens {
  readonly filter: LiveFilter;
  readonly sampler: Sampler;
  /** At other gateways, since the last tick. */
  others: Rate;
  /** Until then it is there for views of this gateway, of others. */
  hereUntil: number;
  thereUntil: number;
}

/** Times that it is given are monotonic, in milliseconds. */
export class Watch {
  readonly #lenses = new Map<string, Lens>();
  readonly #looks = new Set<Look>();
  readonly #watchers = new Map<string, { readonly personal: boolean; readonly until: number }>();
  readonly #senders = new Map<string, number>();
  readonly #ring: Ring<LiveRequest>;

  constructor(life: string) {
    this.#ring = new Ring(life, { entriesMax: limits.liveRingEntriesMax, bytesMax: limits.liveRingBytesMax });
  }

  get viewers(): number {
    return this.#looks.size;
  }

  /** No gateway wants anything of it any more. */
  get isOver(): boolean {
    return this.#lenses.size === 0;
  }

  /** Other gateways have views of it. */
  get isSent(): boolean {
    return this.#watchers.size > 0;
  }

  /** Some view may see what people are called. */
  get isPersonal(): boolean {
    return this.#isPersonalHere() || [...this.#watchers.values()].some(({ personal }) => personal);
  }

  /** What this gateway wants of the others; undefined: nothing. */
  wanted(now: number): Wanted | undefined {
    const filters = [...this.#lenses.values()].filter(({ hereUntil }) => hereUntil > now).map(({ filter }) => filter);
    return filters.length === 0 ? undefined : { filters, personal: this.#isPersonalHere() };
  }

  /** Another gateway wants this. */
  hear(gateway: string, { filters, personal }: Wanted, now: number): void {
    const until = now + limits.liveWatchMs;
    this.#watchers.set(gateway, { personal, until });
    for (const filter of filters) {
      const lens = this.#lens(filter);
      if (lens) lens.thereUntil = until;
    }
  }

  /** The keys of the filters that take the request; none: no view shows it. */
  take(seen: SeenRequest, now: number): readonly string[] {
    const keys: string[] = [];
    for (const [key, { filter, sampler }] of this.#lenses) {
      if (mayMatch(filter, seen) && sampler.take(now)) keys.push(key);
    }
    return keys;
  }

  /** Of the filters that took it those that let it through, now that it was looked into: a name was looked for among its bytes alone. */
  through(request: LiveRequest, keys: readonly string[]): readonly string[] {
    return keys.filter((key) => {
      const lens = this.#lenses.get(key);
      return lens !== undefined && matches(lens.filter, request);
    });
  }

  /** Sends it to views of this gateway; a view that is slow or has had its share of this second goes without. */
  show(request: LiveRequest, keys: readonly string[], now: number): void {
    if (this.wanted(now) === undefined) return;
    const open = withoutPersonal(request);
    const text = JSON.stringify(open);
    const id = this.#ring.add(open, text.length);
    let whole: string | undefined;
    for (const look of this.#looks) {
      if (!keys.includes(look.key) && (this.#lenses.has(look.key) || !matches(look.viewer.filter, request))) continue;
      if (look.sent >= limits.liveViewerEntriesPerSecond || look.viewer.out.waiting > limits.liveViewerCharsMax) {
        look.dropped += 1;
        continue;
      }
      look.sent += 1;
      if (look.viewer.personal) whole ??= JSON.stringify(request);
      look.viewer.out.write(eventText({ id, event: "request", data: look.viewer.personal ? whole ?? text : text }));
    }
  }

  /** Another gateway had so much. */
  addRates(gateway: string, rates: Rates, now: number): void {
    this.#senders.set(gateway, now + limits.liveWatchMs);
    for (const [key, { seen, shown }] of Object.entries(rates)) {
      const lens = this.#lenses.get(key);
      if (lens) lens.others = { seen: lens.others.seen + seen, shown: lens.others.shown + shown };
    }
  }

  /** The function that it returns takes the view away. */
  open(
    viewer: Viewer,
    { lastId, gateway, now }: { readonly lastId: string | undefined; readonly gateway: string; readonly now: number },
  ): () => void {
    const lens = this.#lens(viewer.filter);
    if (lens) lens.hereUntil = now + limits.liveLingerMs;
    const look: Look = { viewer, key: keyOfFilter(viewer.filter), sent: 0, dropped: 0, rateSentAt: now };
    const { entries, missed } = this.#ring.after(lastId);
    const before = entries.filter(({ value }) => matches(viewer.filter, value));
    viewer.out.write([
      `retry: ${limits.liveRetryMs}\n`,
      eventText({ event: "open", data: JSON.stringify({ gateway, personal: viewer.personal, missed }) }),
      ...before.map(({ id, value }) => eventText({ id, event: "request", data: JSON.stringify(value) })),
    ].join(""));
    this.#looks.add(look);
    return () => this.#looks.delete(look);
  }

  /** What is in the ring, the newest first. */
  recent(filter: LiveFilter): readonly LiveRequest[] {
    return this.#ring.after(undefined).entries.map(({ value }) => value).filter((request) => matches(filter, request)).toReversed();
  }

  /** Keeps what is watched for clients that only ask now and then. */
  touch(filter: LiveFilter, now: number): void {
    const lens = this.#lens(filter);
    if (lens) lens.hereUntil = Math.max(lens.hereUntil, now + limits.liveLingerMs);
  }

  /** Once a second: sends views the rates, ends those whose key is no longer good, drops gateways that are gone. Returns rates for other gateways. */
  tick(now: number): Rates {
    const own: Record<string, Rate> = {};
    const all = new Map<string, Rate>();
    for (const look of this.#looks) this.touch(look.viewer.filter, now);
    for (const [key, lens] of this.#lenses) {
      const rate = lens.sampler.drain();
      own[key] = rate;
      all.set(key, { seen: rate.seen + lens.others.seen, shown: rate.shown + lens.others.shown });
      lens.others = { seen: 0, shown: 0 };
      if (lens.hereUntil <= now && lens.thereUntil <= now) this.#lenses.delete(key);
    }
    for (const [gateway, { until }] of this.#watchers) if (until <= now) this.#watchers.delete(gateway);
    for (const [gateway, until] of this.#senders) if (until <= now) this.#senders.delete(gateway);
    for (const look of this.#looks) this.#sendRate(look, all.get(look.key) ?? { seen: 0, shown: 0 }, now);
    return own;
  }

  /** Ends all views: they come back, to another gateway. */
  end(reason: string): void {
    for (const look of this.#looks) this.#end(look, reason);
  }

  #sendRate(look: Look, { seen, shown }: Rate, now: number): void {
    const { viewer, dropped } = look;
    if (!viewer.isStillGood()) return this.#end(look, "over");
    const isQuiet = seen === 0 && dropped === 0;
    if (isQuiet && now - look.rateSentAt < limits.liveHeartbeatMs) return;
    look.sent = 0;
    // A view that takes nothing gets its rate later, with what was dropped since
    if (viewer.out.waiting > limits.liveViewerCharsMax) return;
    look.dropped = 0;
    look.rateSentAt = now;
    const rate = { seen, shown: Math.max(0, shown - dropped), gateways: this.#senders.size + 1 };
    viewer.out.write(eventText({ event: "rate", data: JSON.stringify(rate) }));
  }

  #end(look: Look, reason: string): void {
    this.#looks.delete(look);
    look.viewer.out.write(endText(reason));
    look.viewer.out.end();
  }

  #isPersonalHere(): boolean {
    for (const { viewer } of this.#looks) if (viewer.personal) return true;
    return false;
  }

  /** Undefined where there are too many: a view with another one shows what comes by these. */
  #lens(filter: LiveFilter): Lens | undefined {
    const key = keyOfFilter(filter);
    const known = this.#lenses.get(key);
    if (known || this.#lenses.size >= limits.liveFiltersMax) return known;
    const lens = { filter, sampler: new Sampler(limits.liveEntriesPerSecond), others: { seen: 0, shown: 0 }, hereUntil: 0, thereUntil: 0 };
    this.#lenses.set(key, lens);
    return lens;
  }
}

/** The last that a view is sent. */
export function endText(reason: string): string {
  return eventText({ event: "end", data: JSON.stringify({ reason }) });
}

function eventText({ id, event, data }: { readonly id?: string; readonly event: string; readonly data: string }): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}
