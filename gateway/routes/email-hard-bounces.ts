/** GET /email/hard_bounces: addresses marked permanently rejected, newest first (api-facts 5). */
import { addressFilterOf, timeText } from "../decode/date-range.ts";
import { emailOf } from "../decode/identifiers.ts";
import { queryOf } from "../decode/query.ts";
import { readReply } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailHardBounces(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const filter = addressFilterOf(queryOf(call.query), "email", emailOf);
  const response = await messagingStatus.listHardBounces({ scope: call.scope, filter }, call.reading);
  const emails = response.emails.map(({ address, at }) => ({ email: address, hard_bounced_at: timeText(at) }));
  return readReply({ emails }, response);
}
