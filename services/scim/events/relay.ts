/**
 * Publishes what the outbox holds, each company's in order, and again until it went out: every event at least once, under one id. One that cannot
 * go out, too large perhaps, stays and is tried again; nothing else waits for it.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../../platform/clock.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { ScimUserDeletedSchema } from "../../../proto/gen/heddle/scim/v1/scim_event_pb.ts";
import type { Outbox, Waiting } from "../domain/ports.ts";

/** Resolves when the event is durable elsewhere. */
export type Publish = (event: PublishedEvent) => Promise<void>;

export interface Relay {
  /** Something new is in the outbox: of the company, or of whichever where none is named. */
  wake(companyId?: string): void;
  /** Ends after the events that were read together; the rest goes out after the next start. */
  close(): Promise<void>;
}

export function openRelay(deps: { outbox: Outbox; publish: Publish; clock: Clock; logger: Logger }): Relay {
  const { outbox, publish, clock, logger } = deps;
  const state = { closed: false, retryMs: limits.scimPublishRetryMsMin as number };
  /** Companies to look at; `all` stands for every one. */
  const asked = { all: false, companies: new Set<string>() };
  let running: Promise<void> | undefined;
  let cancelRetry: (() => void) | undefined;

  /** Until no event waits but those that cannot go out, and wake() was not called meanwhile. */
  async function drain(): Promise<void> {
    while (asked.all || asked.companies.size > 0) {
      const [isAll, named] = [asked.all, [...asked.companies]];
      asked.all = false;
      asked.companies.clear();
      let held: Failure | undefined;
      for (const companyId of isAll ? await outbox.companies() : named) {
        held = await drainCompany(companyId, { outbox, publish, state }) ?? held;
        if (state.closed) return;
      }
      if (held !== undefined) later(held.error);
      else if (isAll) state.retryMs = limits.scimPublishRetryMsMin;
    }
    // In the same turn as the look at what is asked: a wake behind it begins anew
    running = undefined;
  }

  function later(error: unknown): void {
    logger.error("scim_event_not_published", error, { retryMs: state.retryMs });
    cancelRetry?.();
    cancelRetry = clock.after(state.retryMs, () => wake());
    state.retryMs = Math.min(state.retryMs * 2, limits.scimPublishRetryMsMax);
  }

  function wake(companyId?: string): void {
    if (companyId === undefined) asked.all = true;
    else asked.companies.add(companyId);
    if (asked.all) cancelRetry?.();
    if (state.closed || running) return;
    running = drain().catch((error: unknown) => {
      running = undefined;
      asked.all = true;
      if (!state.closed) later(error);
    });
  }

  // What an earlier process could not publish
  wake();
  return {
    wake,
    async close() {
      state.closed = true;
      cancelRetry?.();
      await running;
    },
  };
}

interface Draining {
  readonly outbox: Outbox;
  readonly publish: Publish;
  readonly state: { readonly closed: boolean };
}

/** The failure of the last event that cannot go out, if there is one. Throws what passes, which others would meet as well. */
async function drainCompany(companyId: string, { outbox, publish, state }: Draining): Promise<Failure | undefined> {
  let held: Failure | undefined;
  for (let above: string | undefined = ""; above !== undefined && !state.closed;) {
    const waiting: readonly Waiting[] = await outbox.next(companyId, { limit: limits.scimOutboxBatchMax, above });
    const gone: Waiting[] = [];
    for (const each of waiting) {
      const failure = await failureOf(each, publish);
      if (failure === undefined) gone.push(each);
      else held = failure;
    }
    await outbox.done(gone);
    above = waiting.at(-1)?.id;
  }
  return held;
}

interface Failure {
  readonly error: unknown;
}

async function failureOf(waiting: Waiting, publish: Publish): Promise<Failure | undefined> {
  try {
    await publish(eventOf(waiting));
    return undefined;
  } catch (error) {
    if (isPassing(error)) throw error;
    return { error };
  }
}

function eventOf({ event }: Waiting): PublishedEvent {
  const { eventId, companyId, userId, userName, deletedAt } = event;
  const message = create(ScimUserDeletedSchema, { eventId, companyId, userId, userName, deletedAt: BigInt(deletedAt) });
  return { subject: "scim.user.deleted.v1", scope: companyId, eventId, key: userId, body: toBinary(ScimUserDeletedSchema, message) };
}
