/**
 * Which process resolves which partition and applies which lane. Every process beats; each piece of work belongs to the
 * living process that a hash prefers, so that one that comes or goes moves only its share. Two may believe to own the
 * same for a moment: nothing depends on that being impossible.
 */
import type { Clock } from "../clock.ts";
import { fnv1a } from "../fnv1a.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { Reading } from "./read-on.ts";

/** Who is there. Kept where all processes see it. */
export interface Members {
  /** Says that `id` lives for `ms` from now on; resolves with all members that live, `id` among them. */
  beat(id: string, ms: number): Promise<readonly string[]>;
  /** Says that `id` is gone. */
  leave(id: string): Promise<void>;
}

export interface OwnershipDeps {
  readonly id: string;
  readonly members: Members;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names of all pieces of work. */
  readonly work: readonly string[];
  readonly start: (work: string) => Reading;
}

export interface Ownership {
  readonly owned: ReadonlyMap<string, Reading>;
  /** See Reading.retry: of all that this process owns. */
  retry(): void;
  /** Stops all work, and says so, that others take it at once. */
  close(): Promise<void>;
}

/** Starts at once. A process that cannot beat goes on for as long as others wait for it, and then rests. */
export function ownWork(deps: OwnershipDeps): Ownership {
  const owner = new Owner(deps);
  owner.beat();
  return {
    owned: owner.owned,
    retry: () => owner.owned.forEach((reading) => reading.retry()),
    close: () => owner.close(),
  };
}

/** The member to whom the work belongs: the highest hash of both names. */
export function ownerOf(work: string, members: readonly string[]): string | undefined {
  let best: { readonly id: string; readonly hash: number } | undefined;
  for (const id of members) {
    const hash = hashOf(`${work} ${id}`);
    if (best === undefined || hash > best.hash || (hash === best.hash && id > best.id)) best = { id, hash };
  }
  return best?.id;
}

class Owner {
  readonly owned = new Map<string, Reading>();
  readonly #deps: OwnershipDeps;
  readonly #ending = new Set<Promise<void>>();
  #heardAt: number;
  #closed = false;
  #cancel: () => void = () => {};

  constructor(deps: OwnershipDeps) {
    this.#deps = deps;
    this.#heardAt = deps.clock.monotonic();
  }

  beat(): void {
    this.#beatOnce().finally(() => {
      if (!this.#closed) this.#cancel = this.#deps.clock.after(limits.memberBeatMs, () => this.beat());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.#take([]);
    await Promise.all(this.#ending);
    await this.#deps.members.leave(this.#deps.id);
  }

  async #beatOnce(): Promise<void> {
    const { id, members, clock, logger } = this.#deps;
    try {
      const living = await members.beat(id, limits.memberGoneMs);
      this.#heardAt = clock.monotonic();
      if (!this.#closed) this.#take(this.#deps.work.filter((work) => ownerOf(work, living) === id));
    } catch (error) {
      logger.error("member_not_heard", error, { id });
      if (clock.monotonic() - this.#heardAt > limits.memberGoneMs) this.#take([]);
    }
  }

  #take(mine: readonly string[]): void {
    for (const [work, reading] of this.owned) {
      if (mine.includes(work)) continue;
      this.owned.delete(work);
      const end = reading.close().finally(() => this.#ending.delete(end));
      this.#ending.add(end);
    }
    for (const work of mine) {
      if (!this.owned.has(work)) this.owned.set(work, this.#deps.start(work));
    }
  }
}

const mixShift = 15;
const mixPrime = 0x85ebca6b;

/** FNV-1a with a last mixing: names that differ in one digit must not hash alike. */
function hashOf(text: string): number {
  const hash = fnv1a(text);
  const mixed = Math.imul(hash ^ (hash >>> mixShift), mixPrime);
  return (mixed ^ (mixed >>> mixShift)) >>> 0;
}

/** Why the first that does not get on does not, with its name: that is what an operator looks for in the log. */
export function firstTrouble(owned: ReadonlyMap<string, Pick<Reading, "trouble">>): string | undefined {
  for (const [work, reading] of owned) {
    const reason = reading.trouble();
    if (reason !== undefined) return `${work}: ${reason}`;
  }
  return undefined;
}
