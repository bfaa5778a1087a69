/** POST /email/blocklist and its twin /email/blacklist, /email/bounce/remove and /email/spam/remove (api-facts 5). */
import { EmailMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { bodyFields } from "../decode/fields.ts";
import { emailsOf } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Asked = Pick<Parts, "messagingStatus">;

/** Unsubscribes addresses and marks them permanently rejected. */
export async function handleEmailBlocklist(call: Call, parts: Asked): Promise<Reply> {
  return await mark(call, parts, EmailMark.BLOCKLISTED);
}

/** Lifts the rejected mark of addresses. */
export async function handleEmailBounceRemove(call: Call, parts: Asked): Promise<Reply> {
  return await mark(call, parts, EmailMark.BOUNCE_REMOVED);
}

/** Lifts the spam mark of addresses. */
export async function handleEmailSpamRemove(call: Call, parts: Asked): Promise<Reply> {
  return await mark(call, parts, EmailMark.SPAM_REMOVED);
}

async function mark({ scope, body }: Call, { messagingStatus }: Asked, how: EmailMark): Promise<Reply> {
  return success({}, await messagingStatus.markEmails({ scope, emails: emailsOf(bodyFields(body)), mark: how }));
}
