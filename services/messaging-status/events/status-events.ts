/** What entries of the ledger mean to others: heddle.messaging_status.v1 events, the same however often they are made. */
import { create, type DescMessage, getOption, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { entryEventId, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { subject as subjectOption } from "../../../proto/gen/heddle/event/v1/event_pb.ts";
import {
  MessagingEmailUpdatedSchema,
  MessagingPhoneUpdatedSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_event_pb.ts";

/** One event an entry, in their order. */
export function eventsOf(workspaceId: string, entries: readonly LedgerEntry[]): PublishedEvent[] {
  return entries.map((entry) => {
    const { subject: address, what, kind, before, after, at, sequence, part, actor, requestId } = entry;
    const states = { ...(before !== null && { before }), ...(after !== null && { after }) };
    const cause = { eventId: entryEventId(entry), workspaceId, changedAt: BigInt(at), sequence: BigInt(sequence), part, actor, requestId };
    if (what === "phone_invalid") return published(MessagingPhoneUpdatedSchema, entry, { ...cause, ...states, phone: address });
    return published(MessagingEmailUpdatedSchema, entry, { ...cause, ...states, email: address, what, kind });
  });

  function published<Payload extends DescMessage>(schema: Payload, entry: LedgerEntry, payload: MessageInitShape<Payload>): PublishedEvent {
    const subject = getOption(schema, subjectOption);
    return {
      subject,
      scope: workspaceId,
      eventId: entryEventId(entry),
      key: entry.subject,
      body: toBinary(schema, create(schema, payload)),
    };
  }
}
