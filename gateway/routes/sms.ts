/** /sms/invalid_phone_numbers: numbers that take no messages (specification; api-facts 5). */
import { PhoneMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { addressFilterOf, timeText } from "../decode/date-range.ts";
import { bodyFields, listOf } from "../decode/fields.ts";
import { phoneOf } from "../decode/identifiers.ts";
import { takeIds, tooManyIds } from "../decode/lists.ts";
import { queryOf } from "../decode/query.ts";
import { readReply, success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** GET /sms/invalid_phone_numbers: numbers that take no messages, newest first. */
export async function handleSmsInvalidPhoneNumbers(call: Call, { messagingStatus }: Pick<Deps, "messagingStatus">): Promise<Reply> {
  const filter = addressFilterOf(queryOf(call.query), "phone_numbers", phoneOf);
  const response = await messagingStatus.listInvalidPhones({ scope: call.scope, filter }, call.reading);
  const sms = response.phones.map(({ address, at, reason }) => ({
    phone: address,
    invalid_detected_at: timeText(at),
    reason: reason === PhoneMark.DEACTIVATED ? "deactivated" : "provider_error",
  }));
  return readReply({ sms }, response);
}

/** POST /sms/invalid_phone_numbers/remove: they may be tried again. Digits without a `+` are normalised, as clients send them. */
export async function handleSmsInvalidPhoneNumbersRemove(call: Call, { messagingStatus }: Pick<Deps, "messagingStatus">): Promise<Reply> {
  const list = listOf(bodyFields(call.body)["phone_numbers"], {
    notAList: "'phone_numbers' must be an array of 1 to 50 phone numbers",
    tooMany: tooManyIds,
  });
  const phones = takeIds(list, "phone_numbers", phoneOf);
  return success({}, await messagingStatus.removeInvalidPhones({ scope: call.scope, phones }));
}
