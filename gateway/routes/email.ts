/** /email/…: the state of email addresses, and the marks that bounces and complaints leave (specification; api-facts 5). */
import { numbersOf } from "../../platform/enum-names.ts";
import { EmailMark, EmailStatus } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { addressFilterOf, isAscending, timeText } from "../decode/date-range.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { emailOf } from "../decode/identifiers.ts";
import { emailsOf } from "../decode/lists.ts";
import { queryOf } from "../decode/query.ts";
import { readReply, success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "messagingStatus">;

/** POST /email/status: the state of email addresses, whether or not a user has them. */
export async function handleEmailStatus(call: Call, { messagingStatus }: RouteDeps): Promise<Reply> {
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

const statuses = new Map(Object.entries(numbersOf(EmailStatus)));

/** POST /email/blocklist and its twin /email/blacklist: unsubscribes addresses and marks them permanently rejected. */
export async function handleEmailBlocklist(call: Call, deps: RouteDeps): Promise<Reply> {
  return await mark(call, deps, EmailMark.BLOCKLISTED);
}

/** POST /email/bounce/remove: lifts the rejected mark. */
export async function handleEmailBounceRemove(call: Call, deps: RouteDeps): Promise<Reply> {
  return await mark(call, deps, EmailMark.BOUNCE_REMOVED);
}

/** POST /email/spam/remove: lifts the spam mark. */
export async function handleEmailSpamRemove(call: Call, deps: RouteDeps): Promise<Reply> {
  return await mark(call, deps, EmailMark.SPAM_REMOVED);
}

async function mark({ scope, body }: Call, { messagingStatus }: RouteDeps, how: EmailMark): Promise<Reply> {
  return success({}, await messagingStatus.markEmails({ scope, emails: emailsOf(bodyFields(body)), mark: how }));
}

/** GET /email/unsubscribes: addresses whose status is unsubscribed, newest first unless `sort_direction=asc`. */
export async function handleEmailUnsubscribes(call: Call, { messagingStatus }: RouteDeps): Promise<Reply> {
  const query = queryOf(call.query);
  const filter = { ...addressFilterOf(query, "email", emailOf), ascending: isAscending(query) };
  const response = await messagingStatus.listUnsubscribes({ scope: call.scope, filter }, call.reading);
  const emails = response.emails.map(({ address, at }) => ({ email: address, unsubscribed_at: timeText(at) }));
  return readReply({ emails }, response);
}

/** GET /email/hard_bounces: addresses marked permanently rejected, newest first. */
export async function handleEmailHardBounces(call: Call, { messagingStatus }: RouteDeps): Promise<Reply> {
  const filter = addressFilterOf(queryOf(call.query), "email", emailOf);
  const response = await messagingStatus.listHardBounces({ scope: call.scope, filter }, call.reading);
  const emails = response.emails.map(({ address, at }) => ({ email: address, hard_bounced_at: timeText(at) }));
  return readReply({ emails }, response);
}
