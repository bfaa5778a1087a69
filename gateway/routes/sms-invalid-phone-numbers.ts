/** GET /sms/invalid_phone_numbers: numbers that take no messages, newest first (api-facts 5). */
import { PhoneMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { addressFilterOf, timeText } from "../decode/date-range.ts";
import { phoneOf } from "../decode/identifiers.ts";
import { queryOf } from "../decode/query.ts";
import { readReply } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleSmsInvalidPhoneNumbers(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const filter = addressFilterOf(queryOf(call.query), "phone_numbers", phoneOf);
  const response = await messagingStatus.listInvalidPhones({ scope: call.scope, filter }, call.reading);
  const sms = response.phones.map(({ address, at, reason }) => ({
    phone: address,
    invalid_detected_at: timeText(at),
    reason: reason === PhoneMark.DEACTIVATED ? "deactivated" : "provider_error",
  }));
  return readReply({ sms }, response);
}
