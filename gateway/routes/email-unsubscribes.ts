/** GET /email/unsubscribes: addresses whose status is unsubscribed, newest first unless `sort_direction=asc` (api-facts 5). */
import { addressFilterOf, isAscending, timeText } from "../decode/date-range.ts";
import { emailOf } from "../decode/identifiers.ts";
import { queryOf } from "../decode/query.ts";
import { readReply } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailUnsubscribes(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const query = queryOf(call.query);
  const filter = { ...addressFilterOf(query, "email", emailOf), ascending: isAscending(query) };
  const response = await messagingStatus.listUnsubscribes({ scope: call.scope, filter }, call.reading);
  const emails = response.emails.map(({ address, at }) => ({ email: address, unsubscribed_at: timeText(at) }));
  return readReply({ emails }, response);
}
