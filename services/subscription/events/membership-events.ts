/** What entries of the ledger mean to others: heddle.subscription.v1 events, the same however often they are made. */
import { create, getOption, toBinary } from "@bufbuild/protobuf";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { entryEventId, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { subject as subjectOption } from "../../../proto/gen/heddle/event/v1/event_pb.ts";
import { SubscriptionMembershipUpdatedSchema } from "../../../proto/gen/heddle/subscription/v1/subscription_event_pb.ts";
import { statusOf } from "../rpc/messages.ts";

const subject = getOption(SubscriptionMembershipUpdatedSchema, subjectOption);

/** One event an entry, in their order. */
export function eventsOf(workspaceId: string, entries: readonly LedgerEntry[]): PublishedEvent[] {
  return entries.map((entry) => {
    const { subject: userId, what, kind, before, after, at, sequence, part, actor, requestId } = entry;
    const eventId = entryEventId(entry);
    const message = create(SubscriptionMembershipUpdatedSchema, {
      eventId,
      workspaceId,
      userId,
      subscriptionGroupId: what,
      before: statusOf(before),
      after: statusOf(after),
      kind,
      changedAt: BigInt(at),
      sequence: BigInt(sequence),
      part,
      actor,
      requestId,
    });
    return { subject, scope: workspaceId, eventId, key: userId, body: toBinary(SubscriptionMembershipUpdatedSchema, message) };
  });
}
