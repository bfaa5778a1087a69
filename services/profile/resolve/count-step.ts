/** What a step does is counted in the step: its rows are in force with it or not at all, whichever process does it again. */
import { limits } from "../../../platform/limits.ts";
import {
  addCounts,
  addNewest,
  countedKey,
  type CountedTimes,
  type CountRow,
  dayOf,
  hourOf,
  hoursKey,
  hoursPerDay,
  minuteMs,
  minuteOf,
  minutesKey,
  minutesPerHour,
  noCounts,
  totalKey,
  totalOf,
  usersMore,
  type UserTotal,
} from "../domain/counts/count-rows.ts";
import { newestKey } from "../domain/identity/row-keys.ts";
import { countEffects } from "../domain/counts/count-effects.ts";
import type { Identities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { IdentityStore } from "../domain/ports.ts";
import type { ResolvedRecord } from "../domain/resolve/batch.ts";

export interface CountOptions {
  /** What the step does is counted. */
  readonly counts?: boolean;
}

interface CountDeps {
  /** The resolver's now, Unix milliseconds. */
  readonly now: number;
  readonly store: Pick<IdentityStore, "load">;
}

export async function countStep(view: Identities, records: readonly ResolvedRecord[], { now, store }: CountDeps): Promise<void> {
  const counts = countEffects(records);
  if (counts.size === 0) return;
  const rows = new CountRows(view, store);
  await rows.load([countedKey, newestKey]);
  const times = rows.times();
  const newest = rows.known(newestKey);
  const newestMinute = minuteOf(newest);
  const newestHour = times.hours.at(-1) ?? 0;
  // A log that was put back may have a clock that is behind the counts
  const minute = Math.max(Math.floor(now / minuteMs), newestHour * minutesPerHour, newestMinute ?? 0);
  const hour = Math.floor(minute / minutesPerHour);
  if (minute !== newestMinute) await rows.takeIn(newest, times);
  if (hour > newestHour || times.hours.length === 0) await rows.begin(hour, times);
  view.put(newestKey, addCounts(minute === newestMinute ? newest : noCounts, minute, counts));
  const more = usersMore(counts);
  if (more !== 0) view.put(totalKey, await rows.total(more, Math.max(now, minute * minuteMs)));
  view.keep();
}

class CountRows {
  readonly #view: Identities;
  readonly #store: CountDeps["store"];

  constructor(view: Identities, store: CountDeps["store"]) {
    this.#view = view;
    this.#store = store;
  }

  /** Nearly always all are known. */
  load(keys: readonly IdentityKey[]): Promise<void> | undefined {
    const missing = keys.filter((key) => this.#view.peek(key) === undefined);
    return missing.length === 0 ? undefined : this.#loadMissing(missing);
  }

  times(): CountedTimes {
    return (this.#view.peek(countedKey) as CountedTimes | null | undefined) ?? { hours: [], days: [] };
  }

  known(key: IdentityKey): CountRow {
    return (this.#view.peek(key) as CountRow | null | undefined) ?? noCounts;
  }

  async of(key: IdentityKey): Promise<CountRow> {
    await this.load([key]);
    return this.known(key);
  }

  async total(more: number, now: number): Promise<UserTotal> {
    await this.load([totalKey]);
    const { count, since } = (this.#view.peek(totalKey) as UserTotal | null | undefined) ?? { count: 0, since: now };
    return { count: count + more, since };
  }

  /** The newest minute goes into its hour. */
  async takeIn(newest: CountRow, { hours, days }: CountedTimes): Promise<void> {
    const hour = hourOf(newest);
    if (hour === undefined) return;
    if (hours.includes(hour)) this.#view.put(minutesKey(hour), addNewest(await this.of(minutesKey(hour)), newest));
    // A build that does not know of the newest minute has summed its hour
    if (hour !== hours.at(-1) && days.includes(dayOf(hour))) await this.#addToDay(hour, newest);
  }

  /** The hour before goes into its day, and what is too old goes. */
  async begin(hour: number, { hours, days }: CountedTimes): Promise<void> {
    const last = hours.at(-1);
    const day = last === undefined ? undefined : dayOf(last);
    if (last !== undefined) await this.#addToDay(last, await this.of(minutesKey(last)));
    const allHours = [...hours, hour];
    const allDays = day === undefined || days.includes(day) ? days : [...days, day];
    const recentHours = allHours.filter((at) => at > hour - limits.countedHoursMax);
    const recentDays = allDays.filter((at) => at > dayOf(hour) - limits.countedDaysMax);
    for (const at of allHours) if (!recentHours.includes(at)) this.#view.put(minutesKey(at), undefined);
    for (const at of allDays) if (!recentDays.includes(at)) this.#view.put(hoursKey(at), undefined);
    this.#view.put(countedKey, { hours: recentHours, days: recentDays } satisfies CountedTimes);
  }

  async #addToDay(hour: number, row: CountRow): Promise<void> {
    const key = hoursKey(dayOf(hour));
    this.#view.put(key, addCounts(await this.of(key), hour % hoursPerDay, totalOf(row)));
  }

  async #loadMissing(keys: readonly IdentityKey[]): Promise<void> {
    this.#view.load(keys, await this.#store.load(this.#view.workspaceId, keys));
  }
}
