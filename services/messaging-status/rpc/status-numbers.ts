/** States of the domain as numbers of messages. */
import { EmailStatus, PhoneMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type * as address from "../domain/address-state.ts";

export const statusNumbers: Readonly<Record<address.EmailStatus, EmailStatus>> = {
  opted_in: EmailStatus.OPTED_IN,
  subscribed: EmailStatus.SUBSCRIBED,
  unsubscribed: EmailStatus.UNSUBSCRIBED,
};

export const reasonNumbers: Readonly<Record<address.InvalidReason, PhoneMark>> = {
  provider_error: PhoneMark.PROVIDER_ERROR,
  deactivated: PhoneMark.DEACTIVATED,
};
