/** Publishes what the outbox holds, in order, and again until it went out: every event at least once, under one id. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../../platform/clock.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
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

  /** Until no event waits, and wake() was not called meanwhile. */
  async function drain(): Promise<void> {
    while (asked.all || asked.companies.size > 0) {
      const companies = asked.all ? undefined : [...asked.companies];
      asked.all = false;
      asked.companies.clear();
      for (let some = 1; some > 0;) {
        const waiting = await outbox.next(limits.scimOutboxBatchMax, companies);
        for (const each of waiting) await publish(eventOf(each));
        await outbox.done(waiting);
        state.retryMs = limits.scimPublishRetryMsMin;
        if (state.closed) return;
        some = waiting.length;
      }
    }
    // In the same turn as the look at what is asked: a wake behind it begins anew
    running = undefined;
  }

  function later(error: unknown): void {
    logger.error("scim_event_not_published", error, { retryMs: state.retryMs });
    asked.all = true;
    cancelRetry = clock.after(state.retryMs, () => wake());
    state.retryMs = Math.min(state.retryMs * 2, limits.scimPublishRetryMsMax);
  }

  function wake(companyId?: string): void {
    if (companyId === undefined) asked.all = true;
    else asked.companies.add(companyId);
    cancelRetry?.();
    if (state.closed || running) return;
    running = drain().catch((error: unknown) => {
      running = undefined;
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

function eventOf({ event }: Waiting): PublishedEvent {
  const { eventId, companyId, userId, userName, deletedAt } = event;
  const message = create(ScimUserDeletedSchema, { eventId, companyId, userId, userName, deletedAt: BigInt(deletedAt) });
  return { subject: "scim.user.deleted.v1", scope: companyId, eventId, key: userId, body: toBinary(ScimUserDeletedSchema, message) };
}
