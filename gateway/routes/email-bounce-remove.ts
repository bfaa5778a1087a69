/** POST /email/bounce/remove: lifts the rejected mark of addresses (api-facts 5). */
import { EmailMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { markedEmails } from "../decode/marked-emails.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailBounceRemove(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const request = { scope: call.scope, emails: markedEmails(call.body), mark: EmailMark.BOUNCE_REMOVED };
  return success({}, await messagingStatus.markEmails(request));
}
