/** POST /sms/invalid_phone_numbers/remove: numbers may be tried again (specification; api-facts 5). */
import { bodyFields, listOf } from "../decode/fields.ts";
import { phoneOf } from "../decode/identifiers.ts";
import { takeIds, tooManyIds } from "../decode/lists.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** Digits without a `+` are normalised, as clients send them. */
export async function handleSmsInvalidPhoneNumbersRemove(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const list = listOf(bodyFields(call.body)["phone_numbers"], {
    notAList: "'phone_numbers' must be an array of 1 to 50 phone numbers",
    tooMany: tooManyIds,
  });
  const phones = takeIds(list, "phone_numbers", phoneOf);
  return success({}, await messagingStatus.removeInvalidPhones({ scope: call.scope, phones }));
}
