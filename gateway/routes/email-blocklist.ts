/** POST /email/blocklist and its twin /email/blacklist: unsubscribes addresses and marks them permanently rejected. */
import { EmailMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { markedEmails } from "../decode/marked-emails.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleEmailBlocklist(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const request = { scope: call.scope, emails: markedEmails(call.body), mark: EmailMark.BLOCKLISTED };
  return success({}, await messagingStatus.markEmails(request));
}
