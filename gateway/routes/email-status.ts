/** POST /email/status: the state of email addresses, whether or not a user has them (specification; api-facts 5). */
import { EmailStatus } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { emailsOf } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailStatus(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const emails = emailsOf(fields);
  const status = emailStatusOf(fields["subscription_state"]);
  return success({}, await messagingStatus.setEmailStatus({ scope: call.scope, emails, status }));
}

function emailStatusOf(value: unknown): EmailStatus {
  if (!isSent(value)) throw invalid("'subscription_state' is required");
  const status = typeof value === "string" ? statuses.get(value) : undefined;
  if (status === undefined) throw invalid("'subscription_state' must be 'opted_in', 'subscribed' or 'unsubscribed'");
  return status;
}

const statuses: ReadonlyMap<string, EmailStatus> = new Map([
  ["opted_in", EmailStatus.OPTED_IN],
  ["subscribed", EmailStatus.SUBSCRIBED],
  ["unsubscribed", EmailStatus.UNSUBSCRIBED],
]);
