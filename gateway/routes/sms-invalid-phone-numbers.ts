/** GET /sms/invalid_phone_numbers: numbers that take no messages, newest first (api-facts 5). */
import { PhoneMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { addressFilterOf, timeText } from "../decode/date-range.ts";
import { takeAll } from "../decode/elements.ts";
import { phoneOf } from "../decode/identifiers.ts";
import { checkCount } from "../decode/lists.ts";
import { queryOf } from "../decode/query.ts";
import { readHeaders, success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleSmsInvalidPhoneNumbers(call: Call, { messagingStatus }: Pick<Parts, "messagingStatus">): Promise<Reply> {
  const query = queryOf(call.query);
  const sent = query.get("phone_numbers") ?? [];
  checkCount(sent);
  const list = takeAll(sent, "phone_numbers", (phone) => phoneOf(phone, "phone_numbers"));
  const filter = addressFilterOf(query, { name: "phone_numbers", list });
  const response = await messagingStatus.listInvalidPhones({ scope: call.scope, filter }, call.reading);
  const sms = response.phones.map(({ address, at, reason }) => ({
    phone: address,
    invalid_detected_at: timeText(at),
    reason: reason === PhoneMark.DEACTIVATED ? "deactivated" : "provider_error",
  }));
  return { body: success({ sms }).body, headers: readHeaders(response.behind) };
}
