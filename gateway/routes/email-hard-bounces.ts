/** GET /email/hard_bounces: addresses marked permanently rejected, newest first (api-facts 5). */
import { addressFilterOf, timeText } from "../decode/date-range.ts";
import { takeAll } from "../decode/elements.ts";
import { emailOf } from "../decode/identifiers.ts";
import { checkCount } from "../decode/lists.ts";
import { queryOf } from "../decode/query.ts";
import { readHeaders, success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailHardBounces(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const query = queryOf(call.query);
  const sent = query.get("email") ?? [];
  checkCount(sent);
  const list = takeAll(sent, "email", (email) => emailOf(email));
  const filter = addressFilterOf(query, { name: "email", list });
  const response = await messagingStatus.listHardBounces({ scope: call.scope, filter }, call.reading);
  const emails = response.emails.map(({ address, at }) => ({ email: address, hard_bounced_at: timeText(at) }));
  return { body: success({ emails }).body, headers: readHeaders(response.behind) };
}
